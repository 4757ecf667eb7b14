// The tables of what PyTorch's triage knows, for `explain` and the reports.
#include <span>
#include <string_view>

#include "bindings.h"
#include "convert.h"
#include "event/messages/exception_table.h"
#include "triage/knowledge/cause_table.h"
#include "triage/knowledge/playbook.h"

namespace pt2triage::python {
namespace {

py::list Texts(std::span<const std::string_view> texts) {
  py::list out;
  for (std::string_view text : texts) out.append(Text(text));
  return out;
}

py::dict ToDict(const PlaybookVariable& variable) {
  py::dict out;
  out["name"] = Text(variable.name);
  out["value"] = Text(variable.value);
  out["since"] = Name(variable.since);
  out["note"] = Name(variable.note);
  return out;
}

py::dict ToDict(const Recipe& recipe) {
  py::list variables;
  for (const PlaybookVariable& variable : recipe.variables) {
    variables.append(ToDict(variable));
  }
  py::dict out;
  out["variables"] = variables;
  out["command"] = Text(ShellVariables(recipe));
  out["shows"] = Text(recipe.shows);
  return out;
}

py::list ToList(std::span<const Recipe> recipes) {
  py::list out;
  for (const Recipe& recipe : recipes) out.append(ToDict(recipe));
  return out;
}

py::dict ToDict(const Play& play) {
  py::list files;
  for (const PlaybookFile& file : play.files) {
    py::dict one;
    one["path"] = Text("torch/" + std::string(file.path));
    one["what"] = Text(file.what);
    one["since"] = Name(file.since);
    files.append(one);
  }
  py::list config;
  for (const PlaybookOption& option : play.options) {
    py::dict one;
    one["name"] = Text(option.name);
    one["what"] = Text(option.what);
    one["since"] = Name(option.since);
    config.append(one);
  }
  py::list variables;
  for (const Recipe& recipe : play.recipes) {
    for (const PlaybookVariable& variable : recipe.variables) {
      py::dict one = ToDict(variable);
      one["shows"] = Text(recipe.shows);
      variables.append(one);
    }
  }
  py::dict out;
  out["category"] = ToPython(play.category);
  out["title"] = Text(play.title);
  out["command"] = Text(ShellVariables(play.recipes.front()));
  out["recipes"] = ToList(play.recipes);
  out["variables"] = variables;
  out["files"] = files;
  out["config"] = config;
  out["causes"] = Texts(play.causes);
  out["fixes"] = Texts(play.fixes);
  out["artifacts"] = Texts(play.artifacts);
  return out;
}

py::list GetPlaybook() {
  py::list out;
  for (const Play& play : Playbook()) out.append(ToDict(play));
  return out;
}

py::list GetQuestions() {
  py::list out;
  for (const Question& question : Questions()) {
    py::list answers;
    for (const Answer& answer : question.answers) {
      py::dict one;
      one["answer"] = Text(answer.answer);
      one["proof"] = Text(answer.proof);
      answers.append(one);
    }
    py::dict one;
    one["name"] = Text(question.name);
    one["text"] = Text(question.text);
    one["answers"] = answers;
    out.append(one);
  }
  return out;
}

py::list GetCauses() {
  py::list out;
  for (const CauseInfo& info : CauseTable()) {
    py::dict one;
    one["category"] = ToPython(info.category);
    one["cause"] = Text(info.cause);
    one["about"] = Text(info.about);
    one["proof"] = Text(info.proof);
    one["remedy"] = Text(info.actions.back());
    one["actions"] = Texts(info.actions);
    out.append(one);
  }
  return out;
}

py::list GetExceptionClasses() {
  py::list out;
  for (const ExceptionClass& entry : ExceptionTable()) {
    py::dict one;
    one["name"] = Text(entry.name);
    one["module"] = Name(entry.module);
    one["category"] = ToPython(entry.category);
    one["cause"] = Name(entry.cause);
    out.append(one);
  }
  return out;
}

}  // namespace

void BindKnowledge(py::module_& module) {
  module.def("playbook", &GetPlaybook, "How each category is diagnosed.");
  module.def(
      "common_recipes", [] { return ToList(CommonRecipes()); },
      "Runs that show more whatever failed.");
  module.def("questions", &GetQuestions, "The two questions that come first.");
  module.def("causes", &GetCauses, "Every cause, with its proof and remedy.");
  module.def("exception_classes", &GetExceptionClasses,
             "The exception classes that are told apart.");
}

}  // namespace pt2triage::python
