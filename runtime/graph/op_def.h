#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "graph/attrs.h"
#include "tensor/dtype.h"

namespace tfbuild {

class ShapeContext;
using ShapeFn = Status (*)(ShapeContext*);

// One input or output of an op as its definition writes it: "x: T", "values: N * T", "ref: Ref(T)",
// "shape: int32", "data: Targuments" (a list of types, a tensor of each).
struct ArgDef {
  std::string name;
  DType type = DType::kInvalid;  // when fixed
  std::string type_attr;         // else the attribute that holds the type
  std::string type_list_attr;    // or, for a run of tensors, the attribute that lists their types
  std::string number_attr;       // for a run of tensors of one type: how many
  bool is_ref = false;
  bool is_run() const { return !number_attr.empty() || !type_list_attr.empty(); }
};

struct AttrDef {
  std::string name;
  std::string kind;  // "type", "int", "float", "bool", "string", "shape", "tensor", "func", "list(int)", ...
  std::vector<DType> allowed_types;
  std::vector<std::string> allowed_strings;
  std::optional<int64_t> minimum;  // of an int, or of the length of a list
  std::shared_ptr<const AttrValue> default_value;  // null: it must be given
};

// What an op is: its name, inputs, outputs and attributes (TensorFlow's, so that GraphDefs agree)
// and how the shapes of its outputs follow from those of its inputs.
struct OpDef {
  std::string name;
  std::vector<ArgDef> inputs;
  std::vector<ArgDef> outputs;
  std::vector<AttrDef> attrs;
  ShapeFn shape_fn = nullptr;
  bool is_stateful = false;
  bool is_function = false;  // a function of some graph, not an op of the program

  const AttrDef* FindAttr(const std::string& attr_name) const;
};

// Builds an OpDef from TensorFlow's text forms:
//
//   REGISTER_OP("Relu")
//       .Input("features: T")
//       .Output("activations: T")
//       .Attr("T: {float, double, half} = DT_FLOAT")
//       .ShapeFunction(UnchangedShape);
//
// A malformed text is a bug of ours and stops the program at its start.
class OpDefBuilder {
 public:
  explicit OpDefBuilder(std::string_view name);
  OpDefBuilder(const OpDefBuilder&) = delete;
  OpDefBuilder& operator=(const OpDefBuilder&) = delete;
  ~OpDefBuilder();
  OpDefBuilder& Input(std::string_view text);
  OpDefBuilder& Output(std::string_view text);
  OpDefBuilder& Attr(std::string_view text);
  OpDefBuilder& ShapeFunction(ShapeFn fn);
  OpDefBuilder& Stateful();
  const OpDef& def() const { return *def_; }

 private:
  OpDef* const def_;  // so that files that define ops need not know how one is copied or destroyed
};

// All ops of the program. Filled by static registration, read-only afterwards.
class OpRegistry {
 public:
  static OpRegistry& Global();
  // A second definition of a name stops the program with both file names.
  void Register(OpDef def, const char* file);
  // The op of that name; NotFound with the nearest known name.
  Result<const OpDef*> Find(const std::string& name) const;
  std::vector<std::string> Names() const;

 private:
  struct Entry {
    OpDef def;
    const char* file;
  };
  std::map<std::string, Entry> ops_;
};

// Registers what the builder on its right describes: the macro's value is initialised from the
// whole builder expression that follows it, because << binds looser than the calls.
struct OpRegistration {
  struct Here {
    const char* file;
  };
};
OpRegistration operator<<(OpRegistration::Here here, const OpDefBuilder& builder);

}  // namespace tfbuild

#define REGISTER_OP(name)                                                              \
  [[maybe_unused]] static const ::tfbuild::OpRegistration TFBUILD_CONCAT(op_registration_, \
                                                                         __COUNTER__) = \
      ::tfbuild::OpRegistration::Here{__FILE__} << ::tfbuild::OpDefBuilder(name)
