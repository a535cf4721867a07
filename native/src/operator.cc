// operator.cc: the life of every operator: create validates and captures, execute only launches.
#include "operator_runtime/operator.h"

#include <cstring>
#include <memory>
#include <new>

#include "backend.hpp"
#include "cuda_status.hpp"
#include "handle.hpp"
#include "layout.hpp"

#include "operator_runtime/extension.hpp"

namespace {

using camp::OperatorInfo;
using camp::backend::Binding;

constexpr size_t workspace_alignment = 16;
constexpr size_t max_bindings = CAMP_MAX_TENSORS + 1;  // and the workspace

struct Operator : camp::objects::Object {
  static constexpr camp::objects::Kind kind = camp::objects::Kind::op;

  explicit Operator(const OperatorInfo &i) : info(&i) {}
  ~Operator() override {
    if (state == nullptr) return;
    info->destroy(state);
    release(state);
  }
  Operator(const Operator &) = delete;
  Operator &operator=(const Operator &) = delete;

  void release(void *memory) const {
    ::operator delete(memory, std::align_val_t{info->state_alignment});
  }

  const OperatorInfo *info;
  void *state = nullptr;
  int device = 0;
  camp_stream_t stream = nullptr;
  size_t workspace_bytes = 0;
  Binding bindings[max_bindings] = {};  // all but the pointers
  bool gapless[max_bindings] = {};      // every byte of the extent belongs to the tensor
};

using PinnedOperator = camp::objects::Pin<Operator>;

void capture_tensors(Operator &op, const camp_tensor_descriptor_t *const *descriptors,
                     camp::Layout *layouts, camp::Tensor *tensors) {
  const OperatorInfo &info = *op.info;
  for (size_t i = 0; i < info.tensor_count; ++i) {
    const camp_tensor_spec_t &spec = info.tensors[i];
    const camp::objects::Pin<camp::TensorDescriptor> descriptor(descriptors[i]);
    if (!descriptor) {
      const camp_status_t status =
          camp::objects::explain(descriptors[i], camp::TensorDescriptor::kind);
      camp::throw_error(status, "%s: %s: %s", info.name, spec.name, camp_last_error_message());
    }
    layouts[i] = descriptor->layout;
    tensors[i] = camp::Tensor(&layouts[i], spec.name);
    const bool writable = spec.role == CAMP_ROLE_OUTPUT;
    if (writable && !camp::addresses_once(layouts[i])) {
      camp::throw_error(CAMP_STATUS_UNSUPPORTED_LAYOUT,
                        "%s: elements of the output %s share memory by its strides", info.name,
                        spec.name);
    }
    op.bindings[i] = {
        spec.name, nullptr, static_cast<size_t>(layouts[i].extent_bytes), layouts[i].element_bytes,
        writable,  false};
    op.gapless[i] = layouts[i].contiguous;
  }
}

camp_status_t create(const OperatorInfo &info, const camp_handle_t *handle_token,
                     const camp_tensor_descriptor_t *const *descriptors,
                     const camp_attribute_value_t *attributes, camp_operator_t **result) {
  if (info.abi_version != CAMP_ABI_VERSION) {
    return camp::fail(CAMP_STATUS_INTERNAL, "the operator was built for ABI %u, the runtime for %u",
                      info.abi_version, CAMP_ABI_VERSION);
  }
  if (result == nullptr) {
    return camp::fail(CAMP_STATUS_INVALID_ARGUMENT, "%s: op is NULL", info.name);
  }
  if (descriptors == nullptr) {
    return camp::fail(CAMP_STATUS_INVALID_ARGUMENT, "%s: tensors is NULL", info.name);
  }
  auto op = std::make_unique<Operator>(info);
  {
    const camp::objects::Pin<camp::Handle> handle(handle_token);
    if (!handle) return camp::objects::explain(handle_token, camp::Handle::kind);
    op->device = handle->device;
    op->stream = handle->stream;
  }
  camp::Layout layouts[CAMP_MAX_TENSORS];
  camp::Tensor tensors[CAMP_MAX_TENSORS];
  capture_tensors(*op, descriptors, layouts, tensors);

  camp_attribute_value_t values[CAMP_MAX_ATTRIBUTES] = {};
  for (size_t i = 0; i < info.attribute_count; ++i) {
    values[i] = attributes == nullptr ? info.attributes[i].default_value : attributes[i];
  }
  void *state = ::operator new(info.state_bytes, std::align_val_t{info.state_alignment});
  const camp_status_t status =
      info.create(state, op->device, tensors, values, &op->workspace_bytes);
  if (status != CAMP_STATUS_SUCCESS) {
    op->release(state);
    return status;
  }
  op->state = state;
  op->bindings[info.tensor_count] = {"workspace", nullptr, op->workspace_bytes, 1, true, true};
  op->gapless[info.tensor_count] = true;
  *result = static_cast<camp_operator_t *>(camp::objects::insert(Operator::kind, std::move(op)));
  return CAMP_STATUS_SUCCESS;
}

// The checks of one execute, apart from the object itself. Fills the pointers of `bindings`.

camp_status_t bind_workspace(const Operator &op, void *workspace, size_t workspace_bytes,
                             Binding &binding) {
  if (op.workspace_bytes == 0) return CAMP_STATUS_SUCCESS;
  if (workspace_bytes < op.workspace_bytes) {
    return camp::fail(CAMP_STATUS_WORKSPACE_TOO_SMALL,
                      "%s: the workspace has %zu bytes of the %zu needed", op.info->name,
                      workspace_bytes, op.workspace_bytes);
  }
  const uintptr_t address = reinterpret_cast<uintptr_t>(workspace);
  if (workspace == nullptr || address % workspace_alignment != 0 ||
      address + op.workspace_bytes < address) {
    return camp::fail(CAMP_STATUS_INVALID_ARGUMENT,
                      "%s: the workspace %p is NULL or not aligned to %zu bytes", op.info->name,
                      workspace, workspace_alignment);
  }
  binding.pointer = workspace;
  return CAMP_STATUS_SUCCESS;
}

camp_status_t bind_tensor(const Operator &op, const void *pointer, Binding &binding) {
  binding.pointer = pointer;
  if (binding.bytes == 0) return CAMP_STATUS_SUCCESS;
  const uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  if (pointer == nullptr) {
    return camp::fail(CAMP_STATUS_INVALID_ARGUMENT, "%s: the pointer of %s is NULL", op.info->name,
                      binding.name);
  }
  if ((address & (binding.element_bytes - 1)) != 0) {
    return camp::fail(CAMP_STATUS_INVALID_ARGUMENT,
                      "%s: the pointer %p of %s is not aligned to its elements of %zu bytes",
                      op.info->name, pointer, binding.name, binding.element_bytes);
  }
  if (address + binding.bytes < address || camp::objects::is_token(pointer)) {
    return camp::fail(CAMP_STATUS_INVALID_ARGUMENT, "%s: the pointer %p of %s holds no %zu bytes",
                      op.info->name, pointer, binding.name, binding.bytes);
  }
  return CAMP_STATUS_SUCCESS;
}

// Whether two bindings certainly share an element. Strided views may interleave without sharing.
bool share_memory(const Operator &op, const Binding *bindings, size_t a, size_t b) {
  const uintptr_t first = reinterpret_cast<uintptr_t>(bindings[a].pointer);
  const uintptr_t second = reinterpret_cast<uintptr_t>(bindings[b].pointer);
  if (first >= second + bindings[b].bytes || second >= first + bindings[a].bytes) return false;
  return first == second || (op.gapless[a] && op.gapless[b]);
}

camp_status_t check_aliasing(const Operator &op, const Binding *bindings, size_t count) {
  for (size_t a = 0; a < count; ++a) {
    if (!bindings[a].writable || bindings[a].bytes == 0) continue;
    for (size_t b = 0; b < count; ++b) {
      if (b == a || bindings[b].bytes == 0 || !share_memory(op, bindings, a, b)) continue;
      const bool allowed = op.info->may_alias && !bindings[b].writable;
      if (allowed) continue;
      return camp::fail(CAMP_STATUS_INVALID_ARGUMENT, "%s: %s and %s share memory", op.info->name,
                        bindings[a].name, bindings[b].name);
    }
  }
  return CAMP_STATUS_SUCCESS;
}

camp_status_t launch(const Operator &op, const Binding *bindings, size_t count,
                     const void *const *pointers) {
  const OperatorInfo &info = *op.info;
  void *const workspace = const_cast<void *>(bindings[info.tensor_count].pointer);
  const camp::LaunchContext context = {pointers, workspace, op.workspace_bytes, op.device,
                                       op.stream};
  camp::DeviceError error = {0, nullptr, nullptr};
  camp::backend::begin(info.name, bindings, count);
  const camp_status_t launched = info.launch(op.state, context, &error);
  const camp_status_t finished = camp::backend::finish();
  const bool failed =
      finished != CAMP_STATUS_SUCCESS || launched != CAMP_STATUS_SUCCESS || error.code != 0;
  // It stopped somewhere between its launches, or within one: the next execute begins anew.
  if (failed && op.workspace_bytes != 0) {
    camp::backend::clear(workspace, op.workspace_bytes, op.stream);
  }
  if (finished != CAMP_STATUS_SUCCESS) return finished;  // knows more than the launch itself
  if (launched != CAMP_STATUS_SUCCESS) return launched;
  return error.code == 0 ? CAMP_STATUS_SUCCESS
                         : camp::fail_launch(info.name, error.code, error.name, error.text);
}

}  // namespace

namespace camp {

camp_status_t operator_create(const OperatorInfo &info, const camp_handle_t *handle,
                              const camp_tensor_descriptor_t *const *tensors,
                              const camp_attribute_value_t *attributes,
                              camp_operator_t **op) noexcept {
  return guarded([&] { return create(info, handle, tensors, attributes, op); });
}

camp_status_t operator_execute(const OperatorInfo &info, const camp_operator_t *token,
                               void *workspace, size_t workspace_bytes,
                               const void *const *pointers) noexcept {
  const PinnedOperator pinned(token);
  if (!pinned) return objects::explain(token, Operator::kind);
  const Operator &op = *pinned;
  if (op.info != &info) {
    return fail(CAMP_STATUS_INVALID_OBJECT, "%s: the operator was created as %s%s", info.name,
                op.info->name,
                std::strcmp(info.name, op.info->name) == 0 ? " of another library" : "");
  }
  if (pointers == nullptr) {
    return fail(CAMP_STATUS_INVALID_ARGUMENT, "%s: pointers is NULL", info.name);
  }
  const size_t tensor_count = info.tensor_count;
  const size_t count = tensor_count + (op.workspace_bytes == 0 ? 0 : 1);
  Binding bindings[max_bindings];
  std::memcpy(bindings, op.bindings, (tensor_count + 1) * sizeof *bindings);
  camp_status_t status = bind_workspace(op, workspace, workspace_bytes, bindings[tensor_count]);
  for (size_t i = 0; status == CAMP_STATUS_SUCCESS && i < tensor_count; ++i) {
    status = bind_tensor(op, pointers[i], bindings[i]);
  }
  if (status == CAMP_STATUS_SUCCESS) status = check_aliasing(op, bindings, count);
  return status == CAMP_STATUS_SUCCESS ? launch(op, bindings, count, pointers) : status;
}

}  // namespace camp

camp_status_t camp_operator_workspace_bytes(const camp_operator_t *op, size_t *bytes) {
  const PinnedOperator pinned(op);
  if (!pinned) return camp::objects::explain(op, Operator::kind);
  if (bytes == nullptr) return camp::fail(CAMP_STATUS_INVALID_ARGUMENT, "bytes is NULL");
  *bytes = pinned->workspace_bytes;
  return CAMP_STATUS_SUCCESS;
}

camp_status_t camp_operator_destroy(camp_operator_t *op) {
  return camp::objects::destroy<Operator>(op);
}
