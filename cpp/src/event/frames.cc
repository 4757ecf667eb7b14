#include "event/frames.h"

#include "base/strings.h"

namespace pt2triage {
namespace {

// Longer names than any file system or program has.
constexpr size_t kMaxFile = 4096;
constexpr size_t kMaxFunction = 1024;

StackFrame MakeFrame(std::string_view file, int64_t line,
                     std::string_view function) {
  StackFrame frame;
  frame.file.assign(file.substr(0, kMaxFile));
  frame.line = line;
  frame.function.assign(PlainFunctionName(function).substr(0, kMaxFunction));
  return frame;
}

// File "path", line 3, in f   /   File "path", line 3 in f
std::optional<FrameMatch> ParseQuoted(std::string_view s) {
  if (!Consume(&s, "File \"") && !Consume(&s, "File “")) return std::nullopt;
  size_t close = s.find("\", line ");
  size_t skip = 8;
  if (close == std::string_view::npos) {
    close = s.find("”, line ");
    skip = 10;
  }
  if (close == std::string_view::npos) return std::nullopt;
  std::string_view file = s.substr(0, close);
  s.remove_prefix(close + skip);
  std::optional<int64_t> line = ToInt(ConsumeDigits(&s));
  if (!line) return std::nullopt;
  FrameMatch match;
  if (Consume(&s, ", in ")) {
    match.frame = MakeFrame(file, *line, s);
  } else if (Consume(&s, " in ")) {
    match.style = FrameStyle::kFaultHandler;
    match.frame = MakeFrame(file, *line, s);
  } else if (s.empty() || s.starts_with(',')) {
    match.frame = MakeFrame(file, *line, {});
  } else {
    return std::nullopt;
  }
  return match;
}

// File <command-3218834419>, line 7: a Databricks cell.
std::optional<FrameMatch> ParseCommandCell(std::string_view s) {
  if (!Consume(&s, "File ") || !s.starts_with('<')) return std::nullopt;
  const size_t close = s.find('>');
  if (close == std::string_view::npos) return std::nullopt;
  const std::string_view file = s.substr(0, close + 1);
  s.remove_prefix(close + 1);
  if (!Consume(&s, ", line ")) return std::nullopt;
  const std::optional<int64_t> line = ToInt(ConsumeDigits(&s));
  if (!line) return std::nullopt;
  FrameMatch match;
  match.style = FrameStyle::kJupyter;
  match.frame = MakeFrame(file, *line, Consume(&s, ", in ") ? s : "<module>");
  return match;
}

// Cell In[3], line 5, in f(x)   /   Input In [3], in <cell line: 1>()
std::optional<FrameMatch> ParseCell(std::string_view s) {
  size_t close = s.find(']');
  if (close == std::string_view::npos) return std::nullopt;
  std::string_view file = s.substr(0, close + 1);
  s.remove_prefix(close + 1);
  FrameMatch match;
  match.style = FrameStyle::kJupyter;
  int64_t line = 0;
  if (Consume(&s, ", line ")) line = ToInt(ConsumeDigits(&s)).value_or(0);
  if (line == 0) match.style = FrameStyle::kColab;
  std::string_view function = Consume(&s, ", in ") ? s : "<module>";
  if (function.starts_with("<cell line")) function = "<module>";
  match.frame = MakeFrame(file, line, function);
  return match;
}

// File /a/b.py, lineno 3, in f (draft-export reports)
std::optional<FrameMatch> ParseLineno(std::string_view s) {
  if (!Consume(&s, "File ")) return std::nullopt;
  constexpr std::string_view kLineno = ", lineno ";
  size_t at = s.rfind(kLineno);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view file = s.substr(0, at);
  if (file.size() > 1 && file.front() == '"') {
    file = file.substr(1, file.size() - 2);
  }
  s.remove_prefix(at + kLineno.size());
  std::optional<int64_t> line = ToInt(ConsumeDigits(&s));
  if (!line || !Consume(&s, ", in ")) return std::nullopt;
  FrameMatch match;
  match.frame = MakeFrame(file, *line, s);
  return match;
}

// File path:3, in f(x)
std::optional<FrameMatch> ParseJupyterFile(std::string_view s) {
  if (!Consume(&s, "File ")) return std::nullopt;
  size_t comma = s.find(", in ");
  std::string_view place = s.substr(0, comma);
  size_t colon = place.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::optional<int64_t> line = ToInt(place.substr(colon + 1));
  if (!line) return std::nullopt;
  FrameMatch match;
  match.style = FrameStyle::kJupyter;
  match.frame = MakeFrame(
      place.substr(0, colon), *line,
      comma == std::string_view::npos ? "<module>" : s.substr(comma + 5));
  return match;
}

// [path](url) in f(x)   /   ~/path.py in f(x)   /   <ipython-input-1-a> in f
std::optional<FrameMatch> ParseColab(std::string_view s) {
  std::string_view file;
  if (s.starts_with('[')) {
    size_t close = s.find("](");
    size_t end = s.find(") in ");
    if (close == std::string_view::npos || end == std::string_view::npos) {
      return std::nullopt;
    }
    file = s.substr(1, close - 1);
    s.remove_prefix(end + 5);
  } else if (s.starts_with("<ipython-input") || s.starts_with("~/") ||
             s.starts_with('/')) {
    size_t in = s.find(" in ");
    if (in == std::string_view::npos) return std::nullopt;
    file = s.substr(0, in);
    if (!file.starts_with('<') && !file.ends_with(".py") &&
        !file.ends_with(".pyx")) {
      return std::nullopt;
    }
    s.remove_prefix(in + 4);
  } else {
    return std::nullopt;
  }
  FrameMatch match;
  match.style = FrameStyle::kColab;
  match.frame = MakeFrame(file, 0, s);
  return match;
}

}  // namespace

std::optional<FrameMatch> ParseFrame(std::string_view text) {
  std::string_view s = Trim(text);
  if (s.starts_with("File ")) {
    if (std::optional<FrameMatch> match = ParseQuoted(s)) return match;
    if (std::optional<FrameMatch> match = ParseLineno(s)) return match;
    if (std::optional<FrameMatch> match = ParseCommandCell(s)) return match;
    return ParseJupyterFile(s);
  }
  if (s.starts_with("Cell In[") || s.starts_with("Input In [")) {
    return ParseCell(s);
  }
  if (s.empty() || Indent(text) != 0) return std::nullopt;
  return ParseColab(s);
}

std::optional<FrameMatch> ParsePytestFrame(std::string_view text) {
  std::string_view s = TrimRight(text);
  if (s.empty() || s.front() == ' ') return std::nullopt;
  // The first `:digits:` after the extension, past a drive's colon.
  for (size_t colon = s.find(':', 2); colon != std::string_view::npos;
       colon = s.find(':', colon + 1)) {
    std::string_view rest = s.substr(colon + 1);
    std::optional<int64_t> line = ToInt(ConsumeDigits(&rest));
    if (!line || !Consume(&rest, ":")) continue;
    std::string_view file = s.substr(0, colon);
    if (!file.ends_with(".py") && !file.ends_with(".pyx") &&
        !file.starts_with('<')) {
      return std::nullopt;
    }
    FrameMatch match;
    match.style = FrameStyle::kPytest;
    std::string_view function;
    if (Consume(&rest, " in ")) {
      function = rest;
    } else if (!rest.empty()) {
      if (!Consume(&rest, " ") || rest.find(' ') != std::string_view::npos) {
        return std::nullopt;
      }
    }
    match.frame = MakeFrame(file, *line, function);
    return match;
  }
  return std::nullopt;
}

std::optional<FrameMatch> ParseRichFrame(std::string_view text) {
  std::string_view s = Trim(text);
  size_t in = s.rfind(" in ");
  if (in == std::string_view::npos) return std::nullopt;
  std::string_view place = s.substr(0, in);
  size_t colon = place.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::optional<int64_t> line = ToInt(place.substr(colon + 1));
  std::string_view function = s.substr(in + 4);
  if (!line || function.find(' ') != std::string_view::npos) {
    return std::nullopt;
  }
  FrameMatch match;
  match.style = FrameStyle::kRich;
  match.frame = MakeFrame(place.substr(0, colon), *line, function);
  return match;
}

std::optional<ListingLine> ParseListingLine(std::string_view text) {
  std::string_view s = TrimLeft(text);
  ListingLine listing;
  if (s.starts_with("--")) {
    size_t end = s.find("> ");
    if (end == std::string_view::npos ||
        s.substr(0, end).find_first_not_of('-') != std::string_view::npos) {
      return std::nullopt;
    }
    listing.arrow = true;
    s = TrimLeft(s.substr(end + 2));
  }
  std::optional<int64_t> line = ToInt(ConsumeDigits(&s));
  if (!line) return std::nullopt;
  if (!s.empty() && s.front() != ' ') return std::nullopt;
  listing.line = *line;
  listing.code = Trim(s);
  return listing;
}

std::string_view PlainFunctionName(std::string_view name) {
  name = Trim(name);
  if (!name.starts_with('<')) name = name.substr(0, name.find('('));
  if (size_t dot = name.rfind('.');
      dot != std::string_view::npos && !name.ends_with('>')) {
    name.remove_prefix(dot + 1);  // notebooks print qualified names
  }
  std::string_view rest = name;
  if (Consume(&rest, "torch_dynamo_resume_in_")) {
    size_t at = rest.rfind("_at_");
    if (at != std::string_view::npos) return rest.substr(0, at);
  }
  if (Consume(&rest, "resume_in_")) return rest;  // up to 2.2
  if (Consume(&rest, "<resume in ") && rest.ends_with('>')) {
    rest.remove_suffix(1);
    return rest;
  }
  return name;
}

}  // namespace pt2triage
