#include <optional>

#include "dataset/trace_stream.h"
#include "export/export.h"
#include "export/row.h"

namespace fib::exports {
namespace {

constexpr std::size_t kRowsAtOnce = 1000;

// Tables in pieces of some rows: only the first piece has a head.
class TableWriter {
 public:
  TableWriter(TextForm form, const std::function<void(std::string_view)>& write)
      : form_(form), write_(write) {
    table_.columns = row_columns();
  }

  void add(std::vector<present::Cell> row) {
    table_.rows.push_back(std::move(row));
    if (table_.rows.size() == kRowsAtOnce) flush();
  }

  void flush() {
    // The renderings of an empty table have no head; csv's has.
    if (table_.rows.empty() && (head_written_ || form_ == TextForm::md)) return;
    const std::string text = form_ == TextForm::csv ? present::to_csv(table_) : present::to_markdown(table_);
    std::string_view rest = text;
    if (head_written_) {
      for (int lines = form_ == TextForm::csv ? 1 : 2; lines > 0; --lines)
        rest.remove_prefix(rest.find('\n') + 1);
    }
    write_(rest);
    head_written_ = true;
    table_.rows.clear();
  }

 private:
  TextForm form_;
  const std::function<void(std::string_view)>& write_;
  present::Table table_;
  bool head_written_ = false;
};

}  // namespace

std::size_t export_text(const dataset::Dataset& dataset, const dataset::Filter& filter, TextForm form,
                        std::vector<std::string>& unreadable,
                        const std::function<void(std::string_view)>& write,
                        const std::atomic<bool>* interrupted) {
  std::optional<RowContext> context;
  if (form == TextForm::csv || form == TextForm::md) context.emplace(dataset, filter, unreadable);
  std::size_t count = 0;
  TableWriter table(form, write);
  if (form == TextForm::json) write("[");
  dataset::for_each_trace(
      dataset, filter, unreadable,
      [&](const model::Trace& trace) {
        ++count;
        if (form == TextForm::jsonl) return write(model::to_json(trace) + "\n");
        if (form == TextForm::json) return write((count == 1 ? "\n" : ",\n") + model::to_json(trace));
        table.add(row_of(dataset, trace, *context));
      },
      interrupted);
  if (form == TextForm::json) write("\n]\n");
  if (form == TextForm::csv || form == TextForm::md) table.flush();
  return count;
}

}  // namespace fib::exports
