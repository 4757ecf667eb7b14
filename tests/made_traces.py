"""Structured traces made for tests, record by record."""

import hashlib
import json
from typing import Any


class MadeTrace:
    """The trace of one process."""

    def __init__(self, rank: int | None = None, pid: int = 4487) -> None:
        self.data = b""
        self._head = f"V1129 15:16:46.099000 {pid} torch/x.py:1] "
        self._rank = {} if rank is None else {"rank": rank}
        self._files: dict[str, int] = {}

    def record(
        self,
        name: str,
        metadata: Any,
        payload: str | None = None,
        compile_id: str | None = None,
        **more: Any,
    ) -> None:
        """One record, with its payload and the sum of it."""
        envelope = {name: metadata, **self._rank, **more}
        if compile_id is not None:
            frame, again = map(int, compile_id.split("/"))
            envelope |= {"frame_id": frame, "frame_compile_id": again}
            envelope.setdefault("attempt", 0)
        if payload is not None:
            data = payload.encode("utf-8", "surrogatepass")
            envelope["has_payload"] = hashlib.md5(data).hexdigest()
        self.data += (self._head + json.dumps(envelope) + "\n").encode()
        if payload is not None:
            self.data += b"\t" + data.replace(b"\n", b"\n\t") + b"\n"

    def artifact(self, name: str, payload: str, compile_id: str | None = "0/0") -> None:
        encoding = "json" if payload.startswith('{"') else "string"
        metadata = {"name": name, "encoding": encoding}
        self.record("artifact", metadata, payload, compile_id)

    def start(self, compile_id: str, *frames: tuple[str, int, str, str | None]) -> None:
        """The beginning of a compile; frames are file, line, function, code."""
        stack: list[dict[str, Any]] = []
        for file, line, function, code in frames:
            if file not in self._files:
                self._files[file] = len(self._files)
                self.record("str", [file, self._files[file]])
            frame = {"line": line, "name": function, "filename": self._files[file]}
            stack.append(frame | ({} if code is None else {"loc": code}))
        self.record("dynamo_start", {"stack": stack}, compile_id=compile_id)

    def metrics(self, compile_id: str, **fields: Any) -> None:
        """The metrics of a compile that went well, but for `fields`."""
        usual = {
            "compile_id": compile_id,
            "co_name": "forward",
            "co_filename": "/home/dev/model.py",
            "co_firstlineno": 7,
            "start_time_us": 1_000_000,
            "duration_us": 2_000,
            "graph_op_count": 3,
            "guard_count": 5,
            "fail_type": None,
            "fail_reason": None,
            "restart_reasons": [],
        }
        self.record("compilation_metrics", usual | fields, compile_id=compile_id)


def hostile_trace(text: str, rank: int | None = None) -> bytes:
    """A trace whose every text is `text`: a failed compile, one that was compiled
    again, and artifacts."""
    made = MadeTrace(rank)
    line = " ".join(text.split())  # a line is a guard or a hint of its own
    for compile_id in ("0/0", "0/1"):
        made.start(compile_id, (text, 1, text, text), (text, 2, text, None))
        made.record(
            "artifact",
            {"name": "recompile_reasons", "encoding": "json"},
            json.dumps([f"0/0: {line}"]),
            compile_id,
        )
        made.artifact("dynamo_graph_break_reason", f"why: {line}", compile_id)
        made.artifact(text, f"{compile_id} {text}", compile_id)
        made.artifact("inductor_output_code", f"# {compile_id} {text}", compile_id)
        made.artifact("dynamo_output_graph", f"{compile_id}\n{text}", compile_id)
        made.record(text, {text: text}, text, compile_id)
        made.record(
            "symbolic_shape_specialization",
            {"symbol": text, "sources": [text], "value": text, "reason": text},
            compile_id=compile_id,
        )
        made.metrics(
            compile_id,
            co_name=text,
            co_filename=text,
            fail_type=text,
            fail_reason=text,
            restart_reasons=[text],
            recompile_reason=text,
            cudagraph_skip_reason=text,
            extra={text: text},
        )
    made.artifact(text, text, None)
    return made.data
