"""What tests of pages look for in a browser."""

from typing import Any

from browser import Browser

# Each would set `hit` or load something, were it not escaped.
ATTACKS = (
    "<script>hit=1</script>",
    "</script><script>hit=1</script>",
    "<img src=x onerror=hit=1>",
    '"><svg onload=hit=1>',
    "' onmouseover=hit=1 autofocus onfocus=hit=1 x='",
    "</pre></style><iframe srcdoc='<script>parent.hit=1</script>'>",
    "<link rel=stylesheet href=//evil.example/x.css>",
    "javascript:hit=1",
    "]]>--><script>hit=1</script><!--",
    "{{ 7 * 7 }}{% raw %}",
)

# The ratio of luminances of a text and what is behind it (WCAG 2.2).
CONTRAST = """(() => {
  const light = (color) => {
    const parts = color.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255);
    const [r, g, b] = parts.map((x) =>
      x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  let one = document.querySelector("KIND");
  const text = light(getComputedStyle(one).color);
  while (getComputedStyle(one).backgroundColor === "rgba(0, 0, 0, 0)")
    one = one.parentElement;
  const back = light(getComputedStyle(one).backgroundColor);
  return (Math.max(text, back) + 0.05) / (Math.min(text, back) + 0.05);
})()"""


def complaints(browser: Browser) -> list[dict[str, Any]]:
    """Errors, refusals of the policy, and what was asked of the network."""
    bad = ("Runtime.exceptionThrown", "Log.entryAdded")
    return [
        event
        for event in browser.events
        if event.get("method") in bad
        or (
            event.get("method") == "Network.requestWillBeSent"
            and event["params"]["type"] != "Document"
        )
    ]
