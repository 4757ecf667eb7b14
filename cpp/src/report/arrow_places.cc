#include "report/arrow_places.h"

#include <utility>

namespace pt2triage {

FindingPlace PlaceOf(const FindingView& view) {
  const Finding& finding = view.finding();
  FindingPlace place;
  if (const auto& frame = finding.user_frame) {
    place.user_file = frame->file;
    if (frame->line != 0) place.user_line = frame->line;
    if (!frame->function.empty()) place.user_function = frame->function;
  }
  if (!finding.evidence.empty()) {
    const Evidence& first = finding.evidence.front();
    place.source = SourceName(*view.report, first);
    place.line = first.line;
    place.offset = first.offset;
  }
  return place;
}

GuardPlace PlaceOf(const GuardView& guard) {
  FindingPlace at = PlaceOf(guard.view);
  GuardPlace place;
  place.fingerprint = guard.view.finding().fingerprint;
  place.test_id = guard.view.finding().test_id;
  place.user_file = std::move(at.user_file);
  place.user_line = at.user_line;
  place.user_function = std::move(at.user_function);
  place.source_name = std::move(at.source);
  place.line = at.line;
  place.offset = at.offset;
  return place;
}

}  // namespace pt2triage
