# An evaluation's word scores as a table for people. --argjson colour true for a terminal.

# How many columns a text takes: Chinese characters two, combining marks none.
def width:
  reduce explode[] as $c (0;
    if $c >= 768 and $c <= 879 then .
    elif ($c >= 4352 and $c <= 4447) or ($c >= 11904 and $c <= 42191) or ($c >= 44032 and $c <= 55203)
      or ($c >= 63744 and $c <= 64255) or ($c >= 65280 and $c <= 65376) or ($c >= 131072 and $c <= 262141)
    then . + 2
    else . + 1 end);

def spaces($count): " " * ([$count, 0] | max) // "";
def left($columns): . + spaces($columns - width);
def right($columns): spaces($columns - width) + .;

def number: if . == null then "–" else round | tostring end;

# Hundredths of a second, as in a word's span: 131 is 1.31.
def seconds: "\(. / 100 | floor)." + ("0\(. % 100)" | .[-2:]);

# Twenty cells: green from 80, yellow from 60, red below.
def bar:
  ([[. / 5 | round, 0] | max, 20] | min) as $full
  | (if . >= 80 then 32 elif . >= 60 then 33 else 31 end) as $ink
  | ("█" * $full // "") + ("·" * (20 - $full) // "")
  | if $colour then "\u001b[\($ink)m\(.)\u001b[0m" else . end;

.result as $result
| ($result.words | any(.symbolpinyin != null)) as $chinese
| ([$result.words[].word | width] + [4] | max + 2) as $column
| def line($word; $pinyin; $score; $tone; $bar; $time; $sounds):
    "   " + ($word | left($column)) + (if $chinese then $pinyin | left(8) else "" end) + ($score | right(5))
    + (if $chinese then $tone | right(6) else "" end) + "  " + $bar + "  " + ($time | left(11)) + "  " + $sounds;
  line("word"; "pinyin"; "score"; "tone"; spaces(20); "seconds"; "sounds"),
  ($result.words[] | line(
    .word; .symbolpinyin // "–"; .scores.overall | number; .scores.tone | number; .scores.overall // 0 | bar;
    "\(.span.start | seconds)–\(.span.end | seconds)"; [.phonemes[]?.phoneme] | join(" "))),
  "",
  "   " + ([["overall", "pronunciation", "fluency", "integrity"][] | "\(.) \($result[.] | number)"] | join("   "))
