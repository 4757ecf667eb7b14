"""What looks like a secret, as a table; a test runs every sample."""

from __future__ import annotations

import re
from typing import NamedTuple

MASK = "***"


class Rule(NamedTuple):
    """One kind of secret.

    Attributes:
        name: What it is.
        near: Words of which one is in any text that has such a secret, in lower case.
            They are looked for first, since most texts have none of them.
        pattern: What is replaced.
        shown: What stands there instead.
        sample: A text with one; it has the word `HIDDEN` where the secret is.
    """

    name: str
    near: tuple[str, ...]
    pattern: re.Pattern[str]
    shown: str
    sample: str


def _rule(name: str, near: str, pattern: str, sample: str, shown: str = MASK) -> Rule:
    return Rule(name, tuple(near.split()), re.compile(pattern), shown, sample)


# Names whose values are secret, and a name whose value may be a number of a model:
# `token=128`. A bare `token:` is prose of every parser.
_NAMES = (
    r"(?:(?:pg|db|my)?passw(?:or)?d|passwd|passphrase|pwd|secret|credentials?|"
    r"auth[_-]?key|"
    r"api[_-]?key|access[_-]?key(?:[_-]?id)?|account[_-]?key|secret[_-]?key|"
    r"private[_-]?key|signature|token(?!(?:[\"']?\s*=\s*|\s+)[\"']?\d{1,5}\b))"
)
_NEAR = "passw passp pwd secret credential key signature token"
# Names of which no program says anything else: prose about them may go.
_STRONG = (
    r"(?i:(?<![a-z])(?:[\w.-]{0,32}[_.-])?(?:(?:pg|db|my)?passw(?:or)?d|passwd|"
    r"passphrase|api[_-]?key|secret[_-]?key|private[_-]?key)(?![a-z]))"
)
_KEY = rf"(?i:(?<![a-z])(?:[\w.-]{{0,32}}[_.-])?{_NAMES}(?![a-z]))"
_VALUE = (
    r"(?!(?:None|null|true|True|false|False|\*{3})(?![\w*]))"
    r"[^\s\"'`,;&<>()\[\]{}]+"
)

RULES: tuple[Rule, ...] = (
    _rule(
        "private key",
        "-----begin",
        r"(?s)-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----"
        r".*?(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|\Z)",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEHIDDENowIBAAK\nx8\n"
        "-----END RSA PRIVATE KEY-----",
    ),
    _rule(
        "credentials in a URL",
        "://",
        r"(?<=://)[^/\s\"'`<>]+@",
        "https://user:HIDDEN@host.example/x",
        f"{MASK}@",
    ),
    _rule(
        "GitHub token",
        "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        r"\b(?:gh[pousr]|github_pat)_\w{12,}",
        "ghp_HIDDENabcdefghijklmnop0123456789",
    ),
    _rule("GitLab token", "glpat-", r"\bglpat-[\w-]{12,}", "glpat-HIDDEN0123456789ab"),
    _rule(
        "AWS key id",
        "akia asia",
        r"\b(?:AKIA|ASIA)[0-9A-Z]{12,}\b",
        "AKIAHIDDENIOSFODNN7EX",
    ),
    _rule(
        "Hugging Face token",
        "hf_ api_org_",
        r"\b(?:hf|api_org)_[A-Za-z0-9]{16,}(?!\w)",
        "hf_HIDDENabcdefghijklmnopqrstu",
    ),
    _rule("Slack token", "xox", r"\bxox[a-z]-[\w-]{8,}", "xoxb-HIDDEN-0123456789-ab"),
    _rule(
        "key of a model's service",
        "sk-",
        r"\bsk-[\w-]{12,}",
        "sk-HIDDENabcdefghijkl",
    ),
    _rule("Stripe key", "k_live_", r"\b[sr]k_live_\w{8,}", "sk_live_HIDDEN0123456789"),
    _rule(
        "Google key",
        "aiza ya29.",
        r"\b(?:AIza[\w-]{20,}|ya29\.[\w-]{12,})",
        "AIzaSyHIDDENabcdefghijklmnopqrstuvwxyz",
    ),
    _rule(
        "token of a registry",
        "npm_ pypi- dckr_pat_ dapi",
        r"\b(?:npm_\w{20,}|pypi-[\w-]{16,}|dckr_pat_[\w-]{12,}|dapi[0-9a-f]{32})",
        "pypi-HIDDENAgEIcHlwaS5vcmcabcdef",
    ),
    _rule(
        "JSON web token",
        "eyj",
        r"\beyJ[\w-]{8,}(?:\.[\w-]*)*",
        "eyJhbGciOiJIUzI1NiJ9.eyJHIDDEN.abc_d-e",
    ),
    _rule(
        "authorization header",
        "bearer authorization",
        r"(?i)(\bbearer\s+|\bauthorization[\"']?\s*[:=]\s*[\"']?(?:basic\s+|token\s+)?)"
        r"(?!bearer\b|basic\b|token\b)[\w.~+/=-]{6,}",
        "Authorization: Basic HIDDENdXNlcjpwYXNz",
        rf"\1{MASK}",
    ),
    _rule(
        "basic credentials",
        "basic",
        r"(?i)(\bbasic\s+)(?=[a-z0-9+/]*[0-9=])[a-z0-9+/]{8,}=*",
        "proxy uses Basic HIDDENdXNlcjpwYXNz1",
        rf"\1{MASK}",
    ),
    _rule(
        "cookie",
        "cookie",
        r"(?i)(\b(?:set-)?cookie[\"']?\s*[:=]\s*[\"']?)(?!\*{3})"
        r"[^\s\"';]+(?:;\s*[^\s\"';]+)*",
        "Cookie: session=HIDDEN; theme=dark",
        rf"\1{MASK}",
    ),
    _rule(
        "user and password of a program",
        "-u --user",
        r"((?:^|\s)(?:-u|--user)[\s=]+[\"']?[^\s:\"']{1,64}:)(?!\*{3})[^\s\"']+",
        "curl -u bob:HIDDEN https://host.example",
        rf"\1{MASK}",
    ),
    _rule(
        "password of a database's program",
        "mysql mariadb",
        r"(\b(?:mysql|mariadb)\w*\s[^\n]{0,200}?-p)(?!\*{3})[^\s-]\S*",
        "mysql -h db -pHIDDEN shop",
        rf"\1{MASK}",
    ),
    _rule(
        "key of a service",
        "sntry nvapi-",
        r"\b(?:sntry[su]_[\w=+/-]{12,}|nvapi-[\w-]{12,})",
        "nvapi-HIDDEN0123456789abcd",
    ),
    _rule(
        "address of a repository",
        "git@",
        r"\bgit@[^\s\"'<>]+",
        "git@host.example:HIDDEN/repo.git",
        f"git@{MASK}",
    ),
    _rule(
        "address of a person",
        "@",
        r"(?<![\w.+-])[\w.+-]{2,64}@(?:[\w-]{1,63}\.){1,4}[A-Za-z]{2,24}\b(?!\()",
        "write to HIDDEN@host.example",
        f"{MASK}@{MASK}",
    ),
    _rule(
        "variable of the environment",
        "_key _pass _pwd _secret _token _auth",
        r"(\b[A-Z][A-Z0-9_]{0,64}_(?:KEY|PASS|PWD|SECRET|TOKEN|AUTH)\s*[=:]\s*[\"']?)"
        rf"(?!\d{{1,6}}\b){_VALUE}",
        "OPENAI_KEY=HIDDENabcd",
        rf"\1{MASK}",
    ),
    _rule(
        "comparison in a guard",
        _NEAR,
        rf"({_KEY}[\"']?[\])]{{0,3}}\s*(?:[=!:]=)\s*[bru]?[\"'])[^\"'\n]{{6,}}",
        "___dict_getitem(cfg, 'password') == 'HIDDEN horse'",
        rf"\1{MASK}",
    ),
    _rule(
        "sentence",
        "passw passp key token",
        rf"((?:{_STRONG}|\btoken)\s+(?:is|was)\s+[\"']?)"
        rf"(?!(?:not?|missing|empty|wrong|invalid|required|too|an?|the)\b){_VALUE}",
        "the password is HIDDEN.",
        rf"\1{MASK}",
    ),
    _rule(
        "assignment",
        _NEAR,
        rf"({_KEY}[\"']?\s*=(?!=)\s*[\"']?){_VALUE}",
        "DB_PASSWORD='HIDDEN!x/y'",
        rf"\1{MASK}",
    ),
    _rule(
        "entry of a dictionary",
        _NEAR,
        rf"({_KEY}[\"']\s*:\s*[bru]?[\"'])[^\"'\n]+",
        '{"api_key": "HIDDEN of mine"}',
        rf"\1{MASK}",
    ),
    _rule(
        "quoted value of a configuration",
        _NEAR,
        rf"({_KEY}\s*:\s+[\"'])(?!\*{{3}})[^\"'\n]+",
        "refresh_token: 'HIDDEN of mine'",
        rf"\1{MASK}",
    ),
    _rule(
        "password of a configuration",
        "passw passp key",
        rf"({_STRONG}\s*:\s+)(?![\"']){_VALUE}",
        "PASSWORD: HIDDEN",
        rf"\1{MASK}",
    ),
    _rule(
        "authentication of a dictionary",
        "auth",
        r"(?i)([\"']auth[\"']\s*:\s*[\"'])(?!\*{3})[^\"'\n]+",
        '{"auth": "HIDDEN"}',
        rf"\1{MASK}",
    ),
    _rule(
        "line of a configuration",
        _NEAR,
        rf"({_KEY}\s*:\s+)(?=[^\s\d]*\d){_VALUE}(?<=.{{8}})",
        "secret_key: HIDDEN4711abc",
        rf"\1{MASK}",
    ),
    _rule(
        "option",
        _NEAR,
        rf"(--{_KEY}\s+[\"']?)(?!-){_VALUE}",
        "deploy --auth-token HIDDEN --now",
        rf"\1{MASK}",
    ),
)


_INVISIBLE = re.compile("[\u200b-\u200f\u2060\ufeff]")


def masked(text: str) -> str:
    """`text` with `***` in the place of every secret.

    >>> masked("git clone https://me:pass@host.example/x.git")
    'git clone https://***@host.example/x.git'
    """
    text = _INVISIBLE.sub("", text)  # within a name it hides it from the rules
    lower = text.lower()
    for rule in RULES:
        if any(word in lower for word in rule.near):
            text = rule.pattern.sub(rule.shown, text)
    return text
