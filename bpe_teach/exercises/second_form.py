"""Second form: twelve other questions, form B, for after the course if form A came before it.

Each question tests the same concept as the question of form A with its number, in another setting.
"""

from bpe_teach.exercises.exercise import Value
from bpe_teach.exercises.page import load

PAGE = load(__name__)  # its questions are in the order of form A
globals().update(PAGE)
QUESTIONS = [one for one in PAGE.values() if isinstance(one, Value)]
