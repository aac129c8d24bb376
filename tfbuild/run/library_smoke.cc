// Adds two numbers in a session, through TensorFlow's C++ interface.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "tensorflow/core/framework/graph.pb.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/public/session.h"

int main() {
  tensorflow::GraphDef graph;
  for (const char* name : {"two", "three"}) {
    tensorflow::NodeDef* node = graph.add_node();
    node->set_name(name);
    node->set_op("Const");
    tensorflow::Tensor value(tensorflow::DT_FLOAT, tensorflow::TensorShape({}));
    value.scalar<float>()() = name == std::string("two") ? 2.0f : 3.0f;
    (*node->mutable_attr())["dtype"].set_type(tensorflow::DT_FLOAT);
    value.AsProtoField((*node->mutable_attr())["value"].mutable_tensor());
  }
  tensorflow::NodeDef* sum = graph.add_node();
  sum->set_name("sum");
  sum->set_op("Add");
  sum->add_input("two");
  sum->add_input("three");
  (*sum->mutable_attr())["T"].set_type(tensorflow::DT_FLOAT);
  std::unique_ptr<tensorflow::Session> session(
      tensorflow::NewSession(tensorflow::SessionOptions()));
  std::vector<tensorflow::Tensor> found;
  if (!session) return 2;
  auto status = session->Create(graph);
  if (status.ok()) status = session->Run({}, {"sum"}, {}, &found);
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    return 1;
  }
  std::printf("2 + 3 = %g\n", found[0].scalar<float>()());
  return 0;
}
