"""Find the journey that arrives first on a small railway, and say what it costs.

Stations and trains are invented. Run this file to plan four journeys.
"""

from dataclasses import dataclass, replace
from itertools import pairwise

CHANGE_MINUTES = 4  # to walk from one platform to another
CROWNS_PER_MINUTE = {"R": 0.12, "X": 0.25}  # regional trains, express trains

# One train per line: its number, then each stop with the time of departure
# (at the last stop, of arrival).
TIMETABLE = """
R11 Alder Bridge 06:10, Mill Lane 06:18, Quarry Road 06:31, Saltby 06:52
R13 Alder Bridge 07:40, Mill Lane 07:48, Quarry Road 08:01, Saltby 08:22
R20 High Moor 07:15, Three Wells 07:29, Quarry Road 07:58, Fen End 08:20
X5 Alder Bridge 08:02, Quarry Road 08:15, Saltby 08:27
X7 Saltby 08:30, Port Ellery 09:16
"""


class TimetableError(ValueError):
    """The timetable is not well formed, or cannot answer the question."""


def parse_time(text: str) -> int:
    """Return a time of day such as "07:45" in minutes after midnight."""
    try:
        hours, minutes = map(int, text.split(":"))
    except ValueError as error:
        raise TimetableError(f"{text!r} is not a time like 07:45") from error
    return 60 * hours + minutes


def format_time(minutes: int) -> str:
    """Return minutes after midnight as a time of day."""
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


@dataclass(frozen=True)
class Ride:
    """A ride on one train from one station to a later one."""

    train: str
    start: str
    departs: int
    end: str
    arrives: int

    @property
    def price(self) -> float:
        """What the ride costs, in crowns."""
        return CROWNS_PER_MINUTE[self.train[0]] * (self.arrives - self.departs)

    def __str__(self) -> str:
        departure = f"{format_time(self.departs)} {self.start}"
        return f"{self.train:<4}{departure:<19}-> {format_time(self.arrives)} {self.end}"


def read_line(line: str) -> list[Ride]:
    """Return the rides from stop to stop that one line of the timetable lists."""
    train, _, rest = line.partition(" ")
    stops = [stop.rsplit(maxsplit=1) for stop in rest.split(", ")]
    return [
        Ride(train, start, parse_time(departs), end, parse_time(arrives))
        for (start, departs), (end, arrives) in pairwise(stops)
    ]


class Timetable:
    """All rides of a day, in the order in which they depart."""

    def __init__(self, text: str) -> None:
        rides = [ride for line in text.strip().splitlines() for ride in read_line(line)]
        self.rides = sorted(rides, key=lambda ride: (ride.departs, ride.arrives))
        self.stations = {name for ride in rides for name in (ride.start, ride.end)}

    def plan(self, start: str, end: str, earliest: int) -> list[Ride]:
        """Return the rides that lead from start to end and arrive first."""
        for name in (start, end):
            if name not in self.stations:
                raise TimetableError(f"there is no station {name!r}")

        ready = {start: earliest}  # station -> when we can board another train there
        taken: dict[str, Ride] = {}  # train -> our ride on it so far
        best: dict[str, Ride] = {}  # station -> the ride that brings us there first
        for ride in self.rides:
            if ride.train in taken:  # stay in the train
                taken[ride.train] = replace(taken[ride.train], end=ride.end, arrives=ride.arrives)
            elif ride.start in ready and ready[ride.start] <= ride.departs:
                taken[ride.train] = ride
            else:
                continue  # this train cannot be caught
            if ride.end not in ready or ride.arrives + CHANGE_MINUTES < ready[ride.end]:
                ready[ride.end] = ride.arrives + CHANGE_MINUTES
                best[ride.end] = taken[ride.train]

        journey: list[Ride] = []
        while end != start:  # walk back from the last ride to the first
            if end not in best:
                raise TimetableError(f"nothing goes there after {format_time(earliest)}")
            journey.insert(0, best[end])
            end = best[end].start
        return journey


def main() -> None:
    """Plan some journeys, and count those that are possible."""
    timetable = Timetable(TIMETABLE)
    questions = [
        ("Alder Bridge", "Port Ellery", "07:30"),
        ("High Moor", "Saltby", "07:00"),
        ("Mill Lane", "Fen End", "12:15"),
        ("Mill Lane", "Atlantis", "09:00"),
    ]
    possible = 0
    for number, (start, end, after) in enumerate(questions, start=1):
        print(f"{number}. {start} to {end}, after {after}")
        try:
            journey = timetable.plan(start, end, parse_time(after))
        except TimetableError as error:
            print(f"   not possible: {error}")
            continue
        possible += 1
        for ride in journey:
            print(f"   {ride}")
        minutes = journey[-1].arrives - journey[0].departs
        price = sum(ride.price for ride in journey)
        print(f"   {minutes} minutes, {len(journey)} trains, {price:.2f} crowns")
    print(f"{possible} of {len(questions)} journeys are possible.")


if __name__ == "__main__":
    main()
