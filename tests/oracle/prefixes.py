"""What may stand before a line's text."""

import re

ISO_DATE = rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"
ISO_TIME = ISO_DATE + rb"(?:\.\d*)?Z"
ANY_ZONE = ISO_DATE + rb"(?:\.\d*)?(?:Z|[+-]\d\d:?\d\d)"
CRI_TAG = rb" std(?:out|err) [FP](?::[^ ]*)?(?: |$)"
JOURNAL = rb"[^ ]+ (?P<writer>kernel|[^ :\[]+\[\d+\]): "

# What may stand before the text, any number of times, in any order. Groups:
# `writer` tells interleaved writers apart, `rank` numbers the process.
DECORATIONS = [
    re.compile(rb"\xef\xbb\xbf"),
    re.compile(rb"\[(?:[a-z]{1,16} )?" + ANY_ZONE + rb"\](?: |$)"),
    re.compile(ANY_ZONE + CRI_TAG),
    re.compile(ISO_DATE + rb"\.\d{6}Z [0-9a-f]{2}[OE](?:[ +]|$)"),
    re.compile(ISO_TIME + rb"(?: |$)"),
    re.compile(ISO_DATE + rb"(?:\.\d*)?[+-]\d\d:?\d\d " + JOURNAL),
    re.compile(rb"\d\d:\d\d:\d\d  "),
    re.compile(
        rb"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d "
        rb"\d\d:\d\d:\d\d(?:\.\d*)? " + JOURNAL
    ),
    re.compile(
        rb"(?P<writer>\[pod/[^/ \]]+/[^/ \]]+\])(?:$| )(?:" + ANY_ZONE + rb"(?: |$))?"
    ),
    re.compile(rb"(?P<writer>\[(?:default|trainer|worker)(?P<rank>\d+)\]:)"),
    re.compile(rb"(?P<writer>\[rank(?P<rank>\d+)\]:?) ?"),
    re.compile(rb"(?P<writer>\((?:[^()]* )?pid=\d[^()]*\)) ?"),
    re.compile(rb"(?P<writer>\(raylet(?:, ip=[^()]*)?\)) ?"),
    re.compile(
        rb"(?:ERROR|WARNING|INFO|DEBUG|CRITICAL) \d\d-\d\d \d\d:\d\d:\d\d "
        rb"\[?(?P<writer>[^\] ]*\d\]) ?"
    ),
    re.compile(
        rb"##\[(?:warning|notice|debug|command|section"
        rb"|error(?=\](?!The |Process completed with exit code |Bash exited )))\]"
    ),
    re.compile(rb"E   "),
    re.compile(rb"> "),
]

# What may stand between a prefix that has to be learnt and what tells it.
INNER = [
    pattern
    for pattern in DECORATIONS
    if pattern.pattern.startswith((ISO_DATE, rb"(?P<writer>\(", rb"(?P<writer>\[rank"))
    or rb"default" in pattern.pattern
]
