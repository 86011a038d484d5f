#pragma once

#include <cstddef>
#include <cstdint>

// The binary interface of TVM-FFI and of DLPack, as far as fib passes values through it. All versions of
// apache-tvm-ffi since 0.1.0 agree on what is here (their tvm/ffi/c_api.h and dlpack/dlpack.h say what each
// field means); types keep the names they have there, without the prefixes. Nothing here owns anything.
namespace fib::tvm_ffi {

enum DeviceType : std::int32_t { kCpu = 1, kCuda = 2 };

struct Device {
  std::int32_t type;  // DeviceType
  std::int32_t id;
};

enum DataTypeCode : std::uint8_t {
  kInt = 0,
  kUInt = 1,
  kFloat = 2,
  kOpaqueHandle = 3,
  kBfloat = 4,
  kComplex = 5,
  kBool = 6,
  kFloat8E3M4 = 7,
  kFloat8E4M3 = 8,
  kFloat8E4M3B11FNUZ = 9,
  kFloat8E4M3FN = 10,
  kFloat8E4M3FNUZ = 11,
  kFloat8E5M2 = 12,
  kFloat8E5M2FNUZ = 13,
  kFloat8E8M0FNU = 14,
  kFloat6E2M3FN = 15,
  kFloat6E3M2FN = 16,
  kFloat4E2M1FN = 17,
};

struct DataType {
  std::uint8_t code;  // DataTypeCode
  std::uint8_t bits;  // of one lane
  std::uint16_t lanes;
  friend constexpr bool operator==(const DataType& a, const DataType& b) {
    return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
  }
};

// DLTensor: somebody's memory, described. Strides are in elements; null: contiguous.
struct TensorView {
  void* data = nullptr;
  Device device{kCpu, 0};
  std::int32_t ndim = 0;
  DataType dtype{kFloat, 32, 1};
  std::int64_t* shape = nullptr;
  std::int64_t* strides = nullptr;
  std::uint64_t byte_offset = 0;
};

// DLManagedTensor and DLManagedTensorVersioned: the same with who frees it.
struct ManagedTensor {
  TensorView tensor;
  void* manager = nullptr;
  void (*deleter)(ManagedTensor*) = nullptr;
};

struct ManagedTensorVersioned {
  struct {
    std::uint32_t major = 1;
    std::uint32_t minor = 2;
  } version;
  void* manager = nullptr;
  void (*deleter)(ManagedTensorVersioned*) = nullptr;
  std::uint64_t flags = 0;
  TensorView tensor;
};

// Makes a tensor like `prototype` (its data is null); 0, or an error told to `set_error`.
using TensorAllocator = int (*)(TensorView* prototype, ManagedTensorVersioned** out, void* error_context,
                                void (*set_error)(void* error_context, const char* kind,
                                                  const char* message));

enum TypeIndex : std::int32_t {
  kTypeNone = 0,
  kTypeInt = 1,
  kTypeBool = 2,
  kTypeFloat = 3,
  kTypeOpaquePointer = 4,
  kTypeDataType = 5,
  kTypeDevice = 6,
  kTypeTensorView = 7,  // DLTensor*
  kTypeRawString = 8,   // const char*
  kTypeByteArray = 9,   // ByteArray*
  kTypeRValueRef = 10,
  kTypeSmallString = 11,
  kTypeSmallBytes = 12,
  kTypeUnchanged = 13,
  kTypeFirstObject = 64,  // from here on values are counted references
  kTypeObject = 64,
  kTypeString = 65,
  kTypeBytes = 66,
  kTypeError = 67,
  kTypeFunction = 68,
  kTypeShape = 69,
  kTypeTensor = 70,
  kTypeArray = 71,
  kTypeMap = 72,
  kTypeModule = 73,
  kTypeOpaquePython = 74,
  kTypeList = 75,
  kTypeDict = 76,
  kTypeVisitInterrupt = 77,
  kTypeBigInt = 78,
  kTypeFirstDynamic = 128,
};

// What a deleter is asked to end: the object, its memory, or both.
enum DeleterFlag : int { kDeleteObject = 1, kDeleteMemory = 2 };

// The header of every object on the heap.
struct Object {
  std::uint64_t references = 0;  // strong ones in the low 32 bits, weak ones (and one for all strong) above
  std::int32_t type_index = kTypeObject;
  std::uint32_t padding = 0;
  void (*deleter)(void* self, int flags) = nullptr;
};

struct ByteArray {
  const char* data = nullptr;
  std::size_t size = 0;
};

// TVMFFIAny: one argument or result.
struct Any {
  std::int32_t type_index = kTypeNone;
  std::uint32_t small_length = 0;  // of small strings; else 0
  union {
    std::int64_t integer = 0;
    double number;
    void* pointer;
    Object* object;
    DataType dtype;
    Device device;
    char bytes[8];
  };
};

// A function: 0, or -1 with the thread's raised error set (-2: an error of the language that it was written
// in).
using SafeCall = int (*)(void* self, const Any* arguments, std::int32_t count, Any* result);

// What follows the header of objects of these types.
struct StringCell {
  ByteArray text;
};

struct ErrorCell {
  ByteArray kind;  // "ValueError"
  ByteArray message;
  ByteArray backtrace;  // lines, the most recent call first
  void (*update_backtrace)(void* self, const ByteArray* backtrace,
                           std::int32_t mode) = nullptr;  // mode 1: append
  void* cause = nullptr;          // since 0.1.3; headers before that do not look at it
  void* extra_context = nullptr;  // the same
};

struct FunctionCell {
  SafeCall safe_call = nullptr;
  void* cpp_call = nullptr;  // of functions made by C++ headers; null: safe_call alone
};

struct SequenceCell {  // of arrays and lists
  Any* data = nullptr;
  std::int64_t size = 0;
  std::int64_t capacity = 0;
  void (*data_deleter)(void*) = nullptr;
};

template <typename Cell>
struct ObjectWith : Object {
  Cell cell;
};

using ErrorObject = ObjectWith<ErrorCell>;
using StringObject = ObjectWith<StringCell>;
using FunctionObject = ObjectWith<FunctionCell>;
using SequenceObject = ObjectWith<SequenceCell>;
using TensorObject = ObjectWith<TensorView>;

static_assert(sizeof(Object) == 24 && sizeof(Any) == 16 && sizeof(TensorView) == 48);
static_assert(sizeof(ManagedTensorVersioned) == 80 && sizeof(ErrorObject) == 96);

}  // namespace fib::tvm_ffi
