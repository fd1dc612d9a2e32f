"""Exercises of notebook 02b, and what was published: five hundred merges and eight counts."""

from bpe_teach.exercises.exercise import Value
from bpe_teach.exercises.record import record as record

# The merges as published, by rank: two spaces stand between merges, one between left and right.
PUBLISHED_TEXT = """\
e _  t h  t _  d _  s _  n _  e r  y _  . _  i n  a n  , _  i _  a _  o _  th e_  o u  e d_  f _
in g  r e  h a  i s_  er _  ing _  " _  r a  o r  an d_  t o_  o n  o f_  s t  a t_  e n  a l  e e
m y_  a r  m _  r o  w a  i c  d ra  dra w  - _  or _  i t_  l i  o n_  w h  m a  p _  th e  s h
v e_  m e_  wa s_  th at_  l e_  l e  l _  l y_  i n_  : _  b o  l d_  th is_  s i  k _  a t
ha ve_  o w  draw ing_  ee p_  c e_  c h  w i  h e_  e v  g h  ic t  th _  a s  e n_  c on  on e_
d e_  s e  sh eep_  s a  er y_  t t  g ro  gro w  grow n_  f ro  fro m_  s o_  a n_  d e  r i  u n
a b  ou t_  er e_  al l_  n o  i on_  y ou  e x  s t_  no t_  m e  u r  st r  d i  v ery_  u p
li tt  litt le_  th er_  s e_  g re  m b  bo a_  con str  constr ict  wi th_  l o  ou ld_  an y_
si de_  h i  m i  ha d_  you _  th ing_  i r  e s_  up s_  en t_  the n_  k ed_  b u  bu t_  a in
f or_  w _  the m_  mb er_  t er_  ur e_  sa i  ow _  n e  g e  s o  ha t_  t i  g ra  ev er_
hi m_  draw _  t o  u l  ch i  d re  o k_  u p_  d er  i f_  wh en_  x _  e ar  constrict or_
sai d_  o v  s u  b e_  p h  ee n_  c a  a s_  gre at_  w ould_  i t  ! _  s er  b e  f ri  an o
ano ther_  un der  y thing_  ab out_  ou gh  ough _  at ion_  si x_  p ict  al _  s w  the y_
ab le_  ov er_  n u  nu mber_  k e_  ? _  b y_  an t_  in side_  p l  se l  e a  gh t_  b een_
ma n_  s and_  s m  sm all_  en ce_  chi l  chil dre  childre n_  wh o_  bo ok_  re as  under st
c o  ar e_  wi l  wil l_  c ha  n i  pict ure_  t r  u e_  a c  s l  en t  k ing_  lo o  loo ked_
gh t  en ed_  ma de_  se e_  le ar  al wa  alwa y  alway s_  ' _  m y  sel f_  g e_  w hat_  ca re
f a  n ever_  ch _  ou n  er s_  q u  g _  m p  p er  st ar  th ou  thou sand_  mi le  mile s_
ha b  hab it  s s_  n o_  r in  re a  de d  ded ic  reas on_  w or  an d  ev er  ever ything_
li v  an ce_  wh ere_  un g  en ough_  wh o  w ere_  on ce_  f e  re me  y ear  year s_  o ld_
ma g  f ic  al l  tr ue_  st or  p ri  f o  fo re  h ere_  constrict or  constrictor s_  m o
sl eep_  m on  ne ed_  ge st  so me_  ir st_  li ke_  fri ght  an sw  er ed_  wh y_  e le  ele ph
eleph ant_  ing s_  ex pl  t w  tw o_  s p  ti me_  ou t  out side_  my self_  ea d_  ge o
geo gra  geogra ph  geograph y_  ar i  t ic  n ed_  p ar  ha s_  d ge_  li f  lif e_  c er  ma tt
t e  s ee  m ent_  per s  pers on_  t al  tal k_  h is_  p le  ple as  de ser  deser t_  en g
in e_  c e  h u  hu man_  habit ation_  d d  j u  e t_  to o_  h ow_  t ed_  li ve_  p rin
prin ce_  le on_  w er  wer th_  in d  ind ul  indul g  ma y_  dedic at  ser i  seri ou  be st_
fri en  frien d_  wor ld_  underst and  h ung  r y_  ee d  ch e  er ing_  chi ld_  reme mber_
re c  cha p  chap ter_  sa w_  mag ni  magni fic  magnific ent_  at ure_  pri m  prim ev
primev al_  sw all  ow ing_  wi th  with out_  a f  af ter_  di gest  a d  ad v  u re  ure s_
en c  f irst_  so me  some thing_  er p  as ked_  wh e  whe ther_  fright ened_  answ ered_
underst and_  dre w_  c ould_  c lear  th ings_  expl ain  hi stor  histor y_  ari th  arith me
arithme tic  arithmetic _  gra m  gram m  gramm ar  grammar _  g a  ga ve_  mi ght_  care er_
p ain  pain ter_  an ything_  lear ned_  a ir  pl an  ow n_  t s_  c an_  i sh  lo st_  ni ght_
su ch_  k n  c ou  m any_  oun t  p e  o p  con se  conse qu  consequ ence_  liv ed_  de al_
a mon  amon g_  te ly_  s n_  m u  mu ch_  me t_  see m  seem ed_  p t_  p o  c k  al one_  ha r
eng ine_  ne i  nei ther_  n or_  ul t_  de a  dea th_  l as  las t_  m or  mor e_  l at
"""
PUBLISHED_MERGES = [
    tuple(merge.split(" ")) for line in PUBLISHED_TEXT.splitlines() for merge in line.split("  ")
]
PUBLISHED_COUNTS = {0: 243, 1: 170, 2: 150, 3: 138, 4: 136, 497: 2, 498: 2, 499: 2}  # rank -> count


losses = Value(
    "which of these does the preparation lose in the line? Answer with letters, in the order of "
    "the alphabet, as in 'AB'."
    "\n  A  which letters were capitals"
    "\n  B  where the line ended"
    "\n  C  how many spaces there were"
    "\n  D  the underscore"
    "\n  E  the punctuation marks",
    "ABCD",
    [
        (
            "ABCDE",
            "the marks themselves are all still there, each a word of its own. Only whether a "
            "space was beside them is lost.",
        ),
        ("ABC", "an underscore in the text looks like the end of a word: it becomes a space."),
        (
            "ABD",
            "the text is split at spaces, and between two spaces there is no word: however many "
            "there were, one comes back.",
        ),
        ("ACD", "a line end becomes a space, and afterwards nobody can tell the two apart."),
        ("AB", "look at the two spaces after Draw, and at what was between a and sheep."),
        ("BCD", "what happened to the D of Draw?"),
    ],
    because="what is left is letters, marks, and one space between any two words.",
    hints=["compare the line with what comes back, character by character, from the left."],
)

first_merge = Value(
    "which pair is merged first in this book? Answer with a pair, as in ('t', 'h').",
    ("e", "_"),
    [
        (
            ("t", "h"),
            "that is the most frequent pair of letters. But the marker is a symbol too, and each "
            "of the 1,705 words has one.",
        ),
        (("h", "e"), "it occurs in the, he and she. Another pair ends even more words."),
        (("_", "t"), "no merge reaches into the next word: nothing comes after the marker."),
        (("s", "_"), "many words end in s, but more words end in another letter."),
        (("d", "_"), "many words end in d, but more words end in another letter."),
        (("t", "_"), "many words end in t, but more words end in another letter."),
    ],
    because="243 of the 1,705 words end in e: the, one, little, prince.",
    hints=["the marker is a symbol like any other. In which letter do most English words end?"],
)

first_without_marker = Value(
    "and which pair would be first if words had no underscore?",
    ("t", "h"),
    [
        (("e", "r"), "that pair would be second, with 104 against 170."),
        (("h", "e"), "it occurs in the and he; another pair occurs in the and also in that."),
        (("i", "n"), "that pair would be third, with 100 against 170."),
        (("e", "_"), "there is no underscore now."),
    ],
    because="it occurs in the, that, this, with, 170 times in all.",
    hints=["which words does a story use again and again? What do they share?"],
)

held_out = Value(
    "trained on one half of the book, the tokenizer saves about two thirds of the symbols of that "
    "half. How much does it save on the other half?",
    "less",
    [
        (
            "same",
            "the author and the story are the same, but many merges were learned from words that "
            "occur in one half only.",
        ),
        ("third", "the common words of English, and those of this story, are in both halves."),
    ],
    choices={
        "same": "about two thirds, since it is the same book",
        "less": "about 55 per cent",
        "third": "about a third, since it has not read the other half",
    },
    because="that is true in both directions. Having read this very text is worth eleven points "
    "or more; having read the same author is worth three to five.",
    hints=["what would it save if all merges were useful there? And if none were?"],
)

saved_of_words = Value(
    "with min_count=1 and no limit, training goes on until no pair is left. How many of the 477 "
    "different words of the book are then single tokens?",
    477,
    [
        (194, "that is the number if a pair must occur twice, as above. Here once is enough."),
        (0, "merging goes on as long as any word still has two symbols."),
        (500, "the limit of 500 is gone, and there are only 477 different words."),
    ],
    because="every word of the text becomes a token, even if it occurs only once. No word is left "
    "in parts.",
    hints=["a word of two symbols or more has a pair. When is no pair left?"],
)
