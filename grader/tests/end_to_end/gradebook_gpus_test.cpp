// ./gradebook on a machine with two GPUs: the driver is one of paper, whose GPUs compute nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/retired.hpp"
#include "tests/end_to_end/small_course.hpp"
#include "tests/places.hpp"

namespace warpgrade::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class GradebookGpus : public ::testing::Test {
 protected:
  GradebookGpus() {
    fs::create_directories(course / "driver");
    fs::create_symlink(place::paper_driver, course / "driver/libcuda.so.1");
    for (const char *student : {"s1", "s2", "s3"})
      course.write(std::string("class/") + student + "/step0_naive.cu",
                   course.solution("step0_naive.cu") + "// by " + student + "\n");
  }
  CommandResult run(const std::string &words) const {
    for (int gpu = 0; gpu < 2; ++gpu) fs::remove(lock_of(gpu));
    return shell("TMPDIR='" + course.root().string() + "' LD_LIBRARY_PATH='" + (course / "driver").string() +
                     "' PAPER_GPUS=2 '" + place::gradebook + "' run class --assignment hw6 " + words,
                 course.root());
  }
  /// Whether the last run had a case on the GPU.
  bool used(int gpu) const { return fs::exists(lock_of(gpu)); }
  fs::path lock_of(int gpu) const { return course / ("gpu-0000-0" + std::to_string(gpu + 1) + "-00-0.lock"); }
  SmallCourse course;
};

TEST_F(GradebookGpus, BindsWorkersToAllGpusInTurnOrToThoseThatAreNamed) {
  const CommandResult all = run("--out all --device gpu --jobs 2");
  EXPECT_EQ(all.status, 0) << all.output;
  EXPECT_THAT(all.output, HasSubstr("graded on Paper GPU"));
  EXPECT_TRUE(used(0) && used(1)) << all.output;
  const CommandResult second = run("--out second --gpus 1 --jobs 2");
  EXPECT_EQ(second.status, 0) << second.output;
  EXPECT_TRUE(!used(0) && used(1)) << second.output;
  // A GPU that computes nothing gives the simulator's verdict its own: three rows, each judged.
  EXPECT_THAT(text_of(course / "second/grades.csv"), HasSubstr("s3,0,0,0,100,graded"));
}

TEST_F(GradebookGpus, ALostGpuIsNamedAndTheOthersContinue) {
  gpu::DeviceInfo gone;
  gone.pci_bus_id = "0000:01:00.0";
  gpu::retire(course.root().string(), gone);
  const std::string out = "GPU 0000:01:00.0 is out since ";
  const CommandResult other = run("--out other --device gpu --jobs 2");
  EXPECT_EQ(other.status, 0) << other.output;
  EXPECT_THAT(other.output, HasSubstr(out));
  EXPECT_TRUE(!used(0) && used(1)) << other.output;
  const CommandResult status =
      shell("TMPDIR='" + course.root().string() + "' '" + place::gradebook + "' status other", course.root());
  EXPECT_THAT(status.output, HasSubstr(out));
  gone.pci_bus_id = "0000:02:00.0";
  gpu::retire(course.root().string(), gone);
  const CommandResult none = run("--out none --device gpu");
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.output, HasSubstr(out));
}

#ifdef WARPGRADE_WITH_HTTP
TEST_F(GradebookGpus, WithoutAnyTheQueueOfAServiceWaitsAndSaysSo) {
  gpu::DeviceInfo first, second;
  first.pci_bus_id = "0000:01:00.0";
  second.pci_bus_id = "0000:02:00.0";
  course.write("submit.py", R"py(
import base64, csv, json, os, pathlib, sys, time, urllib.request
folder = pathlib.Path("service")
token = [row["token"] for row in csv.DictReader(open("tokens.csv"))][0]
def ask(path, body=None):
    url = (folder / "service.url").read_text().strip()
    return json.load(urllib.request.urlopen(urllib.request.Request(url + path, body, {"Authorization": "Bearer " + token})))
def wait(what, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if answer := what():
                return answer
        except OSError:
            pass
        time.sleep(0.1)
    sys.exit("not within %d s: %s" % (seconds, ask("/v1/submissions/1")))
outs = [pathlib.Path("gpu-0000-0%d-00-0.out" % n) for n in (1, 2)]
wait(lambda: ask("/v1/about"), 60)
def submit(text):
    file = {"name": "step0_naive.cu", "base64": base64.b64encode(text).decode()}
    return ask("/v1/submissions", json.dumps({"assignment": "hw6", "files": [file]}).encode())["id"]
text = pathlib.Path("class/s1/step0_naive.cu").read_bytes()
before = submit(text)
wait(lambda: ask("/v1/submissions/%d" % before)["state"] == "done", 120)
for out, kept in zip(outs, ("one", "two")):
    pathlib.Path(kept).rename(out)
time.sleep(2)
waiting = submit(text + b"// another\n")
said = wait(lambda: ask("/v1/submissions/%d" % waiting).get("waiting_for"), 60)
time.sleep(3)
print(said, ask("/v1/submissions/%d" % waiting)["state"])
for out in outs:
    out.unlink()
done = wait(lambda: (s := ask("/v1/submissions/%d" % waiting))["state"] == "done" and s, 120)
print("exit status", done["exit_status"])
)py");
  // The files that retire them, put aside until the service has begun.
  gpu::retire(course.root().string(), first);
  gpu::retire(course.root().string(), second);
  fs::rename(course / "gpu-0000-01-00-0.out", course / "one");
  fs::rename(course / "gpu-0000-02-00-0.out", course / "two");
  const std::string gradebook = "'" + std::string(place::gradebook) + "'";
  const CommandResult served = shell(
      "export TMPDIR='" + course.root().string() + "' LD_LIBRARY_PATH='" + (course / "driver").string() +
          "' PAPER_GPUS=2; " + gradebook + " tokens service --add s1 >tokens.csv; " + gradebook +
          " serve service --assignment hw6 --device gpu --jobs 2 --port 0 >log 2>&1 & serving=$!; "
          "python3 submit.py; status=$?; kill $serving; wait $serving; [ $status = 0 ] || cat log; exit "
          "$status",
      course.root());
  EXPECT_EQ(served.status, 0) << served.output;
  EXPECT_THAT(served.output, HasSubstr("hw6 cannot be graded at the moment"));
  EXPECT_THAT(served.output, HasSubstr("is safe and waits. queued\n"));
  EXPECT_THAT(served.output, HasSubstr("exit status 1\n")) << "a GPU of paper computes nothing";
}
#endif

TEST_F(GradebookGpus, ThatAreMissingOrUnusedAreNamed) {
  const CommandResult unknown = run("--out none --gpus 0,5");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.output,
              HasSubstr("--gpus 0,5: there is no GPU '5' here (0 is Paper GPU, 1 is Paper GPU)"));
  const CommandResult simulated = run("--out none --gpus 0 --device sim");
  EXPECT_EQ(simulated.status, 2);
  EXPECT_THAT(simulated.output, HasSubstr("--gpus 0: no GPU is used here: --device sim"));
}

}  // namespace
}  // namespace warpgrade::tests
