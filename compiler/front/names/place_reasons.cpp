#include "compiler/front/names/place_reasons.h"

#include "compiler/front/names/queries.h"

namespace tacet::names {

void place_reasons(query::Context& context, std::vector<Reason>& reasons) {
  const auto& table = context.service<ItemTable>();
  for (Reason& reason : reasons) {
    if (reason.has_place()) {
      const ItemId item{reason.place.file.index};
      reason.place = {table[item].file, reason.place.range.shifted(context.get<BeginOfItem>(item))};
    }
  }
}

}  // namespace tacet::names
