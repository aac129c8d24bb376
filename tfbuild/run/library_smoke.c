/* Adds two numbers in a session, through TensorFlow's C interface. */
#include <stdio.h>
#include <string.h>
#include <tensorflow/c/c_api.h>

static TF_Output constant(TF_Graph* graph, const char* name, float value, TF_Status* status) {
  TF_Tensor* tensor = TF_AllocateTensor(TF_FLOAT, NULL, 0, sizeof value);
  TF_OperationDescription* made = TF_NewOperation(graph, "Const", name);
  TF_Output output = {NULL, 0};
  memcpy(TF_TensorData(tensor), &value, sizeof value);
  TF_SetAttrTensor(made, "value", tensor, status);
  TF_SetAttrType(made, "dtype", TF_FLOAT);
  output.oper = TF_FinishOperation(made, status);
  TF_DeleteTensor(tensor);
  return output;
}

int main(void) {
  TF_Status* status = TF_NewStatus();
  TF_Graph* graph = TF_NewGraph();
  TF_SessionOptions* options = TF_NewSessionOptions();
  TF_Output two = constant(graph, "two", 2.0f, status);
  TF_Output three = constant(graph, "three", 3.0f, status);
  TF_OperationDescription* made = TF_NewOperation(graph, "Add", "sum");
  TF_Output sum = {NULL, 0};
  TF_Tensor* result = NULL;
  TF_Session* session;
  TF_AddInput(made, two);
  TF_AddInput(made, three);
  sum.oper = TF_FinishOperation(made, status);
  session = TF_NewSession(graph, options, status);
  if (TF_GetCode(status) == TF_OK)
    TF_SessionRun(session, NULL, NULL, NULL, 0, &sum, &result, 1, NULL, 0, NULL, status);
  if (TF_GetCode(status) != TF_OK) {
    fprintf(stderr, "%s\n", TF_Message(status));
    return 1;
  }
  printf("TensorFlow %s: 2 + 3 = %g\n", TF_Version(), *(float*)TF_TensorData(result));
  return 0;
}
