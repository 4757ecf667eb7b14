// A line of each kind, as its program writes it.
#include "line/decorations.h"

namespace pt2triage {

const std::vector<DecorationSample>& DecorationSamples() {
  static const std::vector<DecorationSample>& samples =
      *new std::vector<DecorationSample>{
          {"bom", "\xEF\xBB\xBFhello", "hello"},
          {"iso time stamp", "2025-04-17T06:19:22.0392577Z hello", "hello"},
          {"iso time stamp", "[2025-01-22T02:00:07.511Z] hello", "hello"},
          {"iso time stamp", "[task 2025-01-22T02:00:07.511Z] hello", "hello"},
          {"iso time stamp", "2025-09-20T03:14:15.926535897Z stderr F hello",
           "hello"},
          {"iso time stamp", "2025-05-02T07:11:09.123456Z 01E hello", "hello"},
          {"rank", "[rank2]: hello", "hello"},
          {"rank", "[default0]:[rank0]:hello", "hello"},
          {"worker", "(RayWorkerWrapper pid=884120, ip=10.0.0.7) hello",
           "hello"},
          {"worker", "(EngineCore_0 pid=12) hello", "hello"},
          {"application logger", "ERROR 08-29 07:12:30 worker_base.py:464] hi",
           "hi"},
          {"application logger", "ERROR 08-29 07:12:30 [core.py:700] hi", "hi"},
          {"pytest", "E   RuntimeError: x", "RuntimeError: x"},
          {"quote", "> > RuntimeError: x", "RuntimeError: x"},
          // The runner of GitHub and Azure, with and without its BOM.
          {"iso time stamp",
           "\xEF\xBB\xBF"
           "2025-04-17T06:19:22.0392577Z hello",
           "hello"},
          // docker logs -t
          {"iso time stamp", "2024-05-02T07:11:09.123456789Z hello", "hello"},
          {"iso time stamp", "2016-10-06T00:17:09.669794202Z stdout P hel",
           "hel"},
          {"iso time stamp",
           "2024-05-02T07:11:09.123456789+08:00 stdout F hello", "hello"},
          {"iso time stamp", "2024-05-02T07:11:09.1Z stdout F:tag hello",
           "hello"},
          {"iso time stamp", "2024-05-02T07:11:09.123456789Z stdout F ", ""},
          {"iso time stamp", "2025-05-02T07:11:09.123456Z 0aO+hello", "hello"},
          {"iso time stamp", "[2024-05-02T07:11:09+02:00] hello", "hello"},
          {"iso time stamp", "[vcs 2025-01-22T02:00:07.511Z] hello", "hello"},
          {"iso time stamp", "[taskcluster 2025-01-22T02:00:07.511Z] hello",
           "hello"},
          {"iso time stamp",
           "2025-11-29T15:22:18+0000 node-3 python3[4242]: hello", "hello"},
          {"clock", "06:19:22  hello", "hello"},
          {"clock", "06:19:22    indented", "  indented"},
          {"journal", "Nov 29 15:22:18 node-3 python3[4242]: hello", "hello"},
          {"journal", "Mar  3 15:22:18.123456 h train[1]:   x", "  x"},
          {"journal", "Nov 29 15:22:18 node-3 kernel: hello", "hello"},
          {"pod", "[pod/train-0/main] hello", "hello"},
          {"pod", "[pod/train-0/main] 2024-05-02T07:11:09.123456789Z hello",
           "hello"},
          {"pod", "[pod/t-0/m] 2024-05-02T07:11:09.1+08:00   hello", "  hello"},
          {"rank", "[trainer3]:hello", "hello"},
          {"worker", "(pid=884120) hello", "hello"},
          {"worker", "(pid=884120, ip=10.0.0.7) hello", "hello"},
          {"worker", "(raylet) hello", "hello"},
          {"runner command", "##[error]RuntimeError: x", "RuntimeError: x"},
          {"runner command", "##[debug]hello", "hello"},
      };
  return samples;
}

}  // namespace pt2triage
