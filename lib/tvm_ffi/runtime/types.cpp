#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tvm_ffi/runtime/object.h"
#include "tvm_ffi/runtime/raise.h"

namespace fib::tvm_ffi {
namespace {

// As tvm/ffi/c_api.h lays them out.
struct FieldInfo {
  ByteArray name, doc, metadata;
  std::int64_t flags, size, alignment, offset;
  int (*getter)(void*, Any*);
  void* setter;
  Any default_value;
  std::int32_t static_type_index;
};

struct MethodInfo {
  ByteArray name, doc, metadata;
  std::int64_t flags;
  Any method;
};

struct TypeMetadata {
  ByteArray doc;
  int (*creator)(void**);
  std::int32_t total_size;
  std::int32_t structural_kind;
};

struct TypeInfo {
  std::int32_t type_index = 0;
  std::int32_t type_depth = 0;
  ByteArray type_key;
  const TypeInfo** ancestors = nullptr;  // by depth; as many as its own depth
  std::uint64_t key_hash = 0;
  std::int32_t num_fields = 0;
  std::int32_t num_methods = 0;
  const FieldInfo* fields = nullptr;
  const MethodInfo* methods = nullptr;
  const TypeMetadata* metadata = nullptr;
};

// Values of one attribute by type index; older headers read `size` as 64 bits, so the column begins with type
// 0.
struct AttributeColumn {
  const Any* data = nullptr;
  std::int32_t size = 0;
  std::int32_t begin_index = 0;
};

struct Type {
  TypeInfo info;
  std::string key;
  std::vector<const TypeInfo*> ancestors;
  std::int32_t slots = 0;       // indices reserved for it and its descendants, from its own on
  std::int32_t slots_used = 1;  // of these
  bool may_overflow = true;
  std::deque<std::string> texts;
  std::vector<FieldInfo> fields;
  std::vector<MethodInfo> methods;
  TypeMetadata metadata{};
};

struct Attribute {
  AttributeColumn column;
  std::vector<Any> values;
};

std::uint64_t hash_of(std::string_view text) {  // FNV-1a
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

// Every type that values of this process can have. Types are never forgotten; addresses of infos stay.
class TypeTable {
 public:
  TypeTable() {
    static constexpr std::pair<std::int32_t, const char*> kValues[] = {
        {kTypeNone, "None"},
        {kTypeInt, "int"},
        {kTypeBool, "bool"},
        {kTypeFloat, "float"},
        {kTypeOpaquePointer, "void*"},
        {kTypeDataType, "DataType"},
        {kTypeDevice, "Device"},
        {kTypeTensorView, "DLTensor*"},
        {kTypeRawString, "const char*"},
        {kTypeByteArray, "TVMFFIByteArray*"},
        {kTypeRValueRef, "ObjectRValueRef"},
        {kTypeSmallString, "ffi.SmallStr"},
        {kTypeSmallBytes, "ffi.SmallBytes"},
        {kTypeUnchanged, "ffi.Unchanged"},
    };
    for (const auto& [index, key] : kValues) add(index, key, nullptr, 0);
    auto& object = add(kTypeObject, "ffi.Object", nullptr, 0);
    static constexpr std::pair<std::int32_t, const char*> kObjects[] = {
        {kTypeString, "ffi.String"},
        {kTypeBytes, "ffi.Bytes"},
        {kTypeError, "ffi.Error"},
        {kTypeFunction, "ffi.Function"},
        {kTypeShape, "ffi.Shape"},
        {kTypeTensor, "ffi.Tensor"},
        {kTypeArray, "ffi.Array"},
        {kTypeMap, "ffi.Map"},
        {kTypeModule, "ffi.Module"},
        {kTypeOpaquePython, "ffi.OpaquePyObject"},
        {kTypeList, "ffi.List"},
        {kTypeDict, "ffi.Dict"},
        {kTypeVisitInterrupt, "ffi.VisitInterrupt"},
        {kTypeBigInt, "ffi.BigInt"},
    };
    for (const auto& [index, key] : kObjects) add(index, key, &object, 0);
  }

  // `parent_index` below 0: the root, or with -2 a question for a type that may not be there.
  std::int32_t get_or_add(const std::string& key, std::int32_t static_index, std::int32_t child_slots,
                          bool may_overflow, std::int32_t parent_index) {
    const std::lock_guard lock(mutex_);
    if (const auto known = by_key_.find(key); known != by_key_.end()) return known->second;
    if (parent_index == -2) return -2;
    Type* parent = parent_index < 0 ? nullptr : find(parent_index);
    if (parent == nullptr && parent_index >= 0)
      throw Raised("InternalError", "a type's parent is not known: " + key);
    if (static_index >= 0 && find(static_index) != nullptr)
      throw Raised("InternalError", "another type has the index of " + key);
    const std::int32_t index = static_index >= 0 ? static_index : free_index(parent, child_slots + 1);
    auto& type = add(index, key, parent, child_slots);
    type.may_overflow = may_overflow;
    return index;
  }

  std::int32_t index_of(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto known = by_key_.find(key);
    if (known == by_key_.end()) throw Raised("KeyError", "cannot find the type " + key);
    return known->second;
  }

  const TypeInfo* info(std::int32_t index) {
    const std::lock_guard lock(mutex_);
    const Type* type = find(index);
    return type == nullptr ? nullptr : &type->info;
  }

  void add_field(std::int32_t index, const FieldInfo& field) {
    change(index, [&](Type& type) {
      constexpr std::int64_t kHasDefault = 1 << 1;
      type.fields.push_back(field);
      keep_texts(type, type.fields.back());
      if ((field.flags & kHasDefault) == 0) type.fields.back().default_value = {};
      keep(type.fields.back().default_value);
      type.info.fields = type.fields.data();
      type.info.num_fields = static_cast<std::int32_t>(type.fields.size());
    });
  }

  void add_method(std::int32_t index, const MethodInfo& method) {
    change(index, [&](Type& type) {
      type.methods.push_back(method);
      keep_texts(type, type.methods.back());
      keep(method.method);
      type.info.methods = type.methods.data();
      type.info.num_methods = static_cast<std::int32_t>(type.methods.size());
    });
  }

  void set_metadata(std::int32_t index, const TypeMetadata& metadata) {
    change(index, [&](Type& type) {
      type.metadata = metadata;
      keep_text(type, type.metadata.doc);
      type.info.metadata = &type.metadata;
    });
  }

  void set_attribute(std::int32_t index, const std::string& name, const Any& value) {
    if (index < 0) throw Raised("IndexError", "no type has a negative index");
    const std::lock_guard lock(mutex_);
    auto& attribute = attributes_[name];
    const auto at = static_cast<std::size_t>(index);
    if (attribute.values.size() <= at) attribute.values.resize(at + 1);
    keep(value);
    attribute.values[at] = value;
    attribute.column.data = attribute.values.data();
    attribute.column.size = static_cast<std::int32_t>(attribute.values.size());
  }

  const AttributeColumn* column(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto known = attributes_.find(name);
    return known == attributes_.end() ? nullptr : &known->second.column;
  }

 private:
  Type* find(std::int32_t index) {
    const auto known = types_.find(index);
    return known == types_.end() ? nullptr : known->second.get();
  }

  template <typename Step>
  void change(std::int32_t index, Step step) {
    const std::lock_guard lock(mutex_);
    Type* type = find(index);
    if (type == nullptr) throw Raised("IndexError", "no type has this index");
    step(*type);
  }

  Type& add(std::int32_t index, const std::string& key, const Type* parent, std::int32_t child_slots) {
    auto& type = *(types_[index] = std::make_unique<Type>());
    type.key = key;
    type.slots = child_slots + 1;
    if (parent != nullptr) {
      type.ancestors = parent->ancestors;
      type.ancestors.push_back(&parent->info);
    }
    type.info.type_index = index;
    type.info.type_depth = static_cast<std::int32_t>(type.ancestors.size());
    type.info.type_key = {type.key.data(), type.key.size()};
    type.info.ancestors = type.ancestors.data();
    type.info.key_hash = hash_of(type.key);
    by_key_[key] = index;
    return type;
  }

  // In what the parent has reserved, where there is room: headers look there first for descendants.
  std::int32_t free_index(Type* parent, std::int32_t wanted) {
    if (parent != nullptr && parent->slots_used + wanted <= parent->slots) {
      const std::int32_t index = parent->info.type_index + parent->slots_used;
      parent->slots_used += wanted;
      return index;
    }
    if (parent != nullptr && !parent->may_overflow)
      throw Raised("InternalError", "the type " + parent->key + " has no room for another child");
    const std::int32_t index = next_;
    next_ += wanted;
    return index;
  }

  static void keep(const Any& value) {
    if (value.type_index >= kTypeFirstObject) retain(value.object);
  }

  static void keep_text(Type& type, ByteArray& text) {
    const auto& kept = type.texts.emplace_back(text.data == nullptr ? "" : std::string(text.data, text.size));
    text = {kept.data(), kept.size()};
  }

  template <typename Info>
  static void keep_texts(Type& type, Info& info) {
    for (ByteArray* text : {&info.name, &info.doc, &info.metadata}) keep_text(type, *text);
  }

  std::mutex mutex_;
  std::map<std::int32_t, std::unique_ptr<Type>> types_;
  std::map<std::string, std::int32_t> by_key_;
  std::map<std::string, Attribute> attributes_;
  std::int32_t next_ = kTypeFirstDynamic;
};

// Libraries register types when they are loaded and may use them until the process ends.
TypeTable& table() {
  static auto* const types = new TypeTable;
  return *types;
}

}  // namespace
}  // namespace fib::tvm_ffi

using namespace fib::tvm_ffi;

extern "C" {

std::int32_t TVMFFITypeGetOrAllocIndex(const ByteArray* key, std::int32_t static_index,
                                       std::int32_t /*depth*/, std::int32_t child_slots,
                                       std::int32_t may_overflow, std::int32_t parent_index) {
  std::int32_t index = -1;
  (void)guarded([&] {
    index = table().get_or_add(text_of(*key), static_index, child_slots, may_overflow != 0, parent_index);
  });
  return index;
}

const void* TVMFFIGetTypeInfo(std::int32_t type_index) { return table().info(type_index); }

int TVMFFITypeKeyToIndex(const ByteArray* key, std::int32_t* out) {
  return guarded([&] { *out = table().index_of(text_of(*key)); });
}

int TVMFFITypeRegisterField(std::int32_t type_index, const void* info) {
  return guarded([&] { table().add_field(type_index, *static_cast<const FieldInfo*>(info)); });
}

int TVMFFITypeRegisterMethod(std::int32_t type_index, const void* info) {
  return guarded([&] { table().add_method(type_index, *static_cast<const MethodInfo*>(info)); });
}

int TVMFFITypeRegisterMetadata(std::int32_t type_index, const void* metadata) {
  return guarded([&] { table().set_metadata(type_index, *static_cast<const TypeMetadata*>(metadata)); });
}

int TVMFFITypeRegisterAttr(std::int32_t type_index, const ByteArray* name, const Any* value) {
  return guarded([&] { table().set_attribute(type_index, text_of(*name), *value); });
}

const void* TVMFFIGetTypeAttrColumn(const ByteArray* name) { return table().column(text_of(*name)); }

}  // extern "C"
