"""Other folders, and other lines of the user's code."""

import re

from edits.naming import Match, name

HOME = re.compile(r"(?<![\w/.])/(?:home|Users|srv|data|mnt)/[\w.-]+(?=/)")


def other_home(text: str, n: int) -> str:
    homes = ("/Users/{}", "/home/{}", "/mnt/disk-1/{}", "/builds/{}/src", "/opt/{}")
    return HOME.sub(homes[n % 5].format(name("home", n, 5)), text)


def home_with_a_space(text: str, n: int) -> str:
    return HOME.sub(f"/Users/{name('first', n, 4)} {name('last', n, 3)}", text)


def home_below_tmp(text: str, n: int) -> str:
    """The user's checkout is in /tmp, as in many a CI job."""
    return HOME.sub(f"/tmp/{name('checkout', n, 6)}", text)


PACKAGES = re.compile(r"[\w./+-]*/lib/python3\.\d+/(?:site|dist)-packages(?=/)")


def other_environment(text: str, n: int) -> str:
    """Another virtual environment, another Python."""
    root = ("/opt/conda/envs/a-b", "/usr/local", "/root/.venv", "/root/py_3")[n % 4]
    kind = ("site", "dist")[n // 4 % 2]
    python = f"python3.{9 + n // 8 % 6}"
    text = PACKAGES.sub(f"{root}/lib/{python}/{kind}-packages", text)
    return re.sub(r"(?<=/lib/)python3\.\d+(?=/)", python, text)


CACHE = re.compile(
    r"(?P<root>[\w./:-]*/torchinductor_)\w+/\w\w/c?(?P<hash>\w+)\.(?=py|cpp|h)"
)


def other_generated_files(text: str, n: int) -> str:
    """Inductor names a file by its hash, and the folder by the user."""
    user = name("user", n, 4)

    def file(match: Match) -> str:
        new = name(match["hash"], n, 51)
        return f"{match['root']}{user}/{new[:2]}/c{new}."

    return CACHE.sub(file, text)


def other_temp_folder(text: str, n: int) -> str:
    roots = ("/var/folders/x1/T/", "/scratch/job.{}/", "/local/{}/tmp/", "/dev/shm/")
    root = roots[n % 4].format(n)
    return re.sub(r"(?<![\w/.])/tmp/(?=torchinductor_|tmp)", root, text)


def other_temp_names(text: str, n: int) -> str:
    return re.sub(r"\btmp[a-z0-9_]{8}\b", lambda m: "tmp" + name(m[0], n, 8), text)


def other_debug_folders(text: str, n: int) -> str:
    run = f"run_2026_01_02_03_04_05_{n}-pid_{n}"
    text = re.sub(r"run_\d{4}(?:_\d+)+-pid_\d+", run, text)
    return re.sub(r"minifier_\w+_\d+(?=/)", f"minifier_{n}", text)


def other_notebook(text: str, n: int) -> str:
    """A cell that is run again has another number, a new kernel another process."""
    text = re.sub(r"Cell In\[\d+\]", f"Cell In[{n % 300}]", text)
    text = re.sub(r"(?<=<ipython-input-)\d+(?=-)", str(n % 300), text)
    return re.sub(r"(?<=/ipykernel_)\d+", str(1 + n), text)


PATH = re.compile(r"(?<![\w/\\.:~-])/[\w.+~-]+(?:/[\w.+~-]+)+")
STDLIB = re.compile(r"^.*/lib/python3\.\d+/(?!site-packages|dist-packages)")


def windows_paths(text: str, root: str) -> str:
    """Whole logs: every absolute path has a drive and backslashes."""

    def path(match: Match) -> str:
        new = STDLIB.sub(f"/{root}/Lib/", match[0])
        new = re.sub(r"/lib/python3\.\d+/", "/Lib/", new)
        return "C:" + new.replace("/", "\\")

    return PATH.sub(path, text)


def on_windows(text: str, n: int) -> str:
    return windows_paths(text, f"Python3{9 + n % 6}")


def on_windows_with_conda(text: str, n: int) -> str:
    return windows_paths(text, f"Users/{name('user', n, 4)}/miniconda3/envs/pt")


NOT_THE_USERS = re.compile(
    r"site-packages|dist-packages|torchinductor_|/lib/python3|\\Lib\\|<|^torch/"
    r"|^/pytorch/"
)
PLACE = re.compile(
    r"(?P<head>File \"(?P<f1>[^\"\n]+)\", line |(?P<f2>[^\s:'\"(]+\.py):"
    r"| file (?P<f3>\S+\.py) line |WON'T CONVERT \S+ (?P<f4>\S+) line "
    r"|line number: |_at_)(?P<line>\d+)\b"
)


def other_lines(text: str, n: int) -> str:
    """All of the user's lines move by the same number; torch's stay."""
    shift = 1 + n % 3000

    def move(match: Match) -> str:
        file = next((match[f] for f in ("f1", "f2", "f3", "f4") if match[f]), "")
        if NOT_THE_USERS.search(file):
            return match[0]
        return f"{match['head']}{int(match['line']) + shift}"

    return PLACE.sub(move, text)
