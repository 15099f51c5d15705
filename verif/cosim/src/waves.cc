// Waves of a model. The library that writes them asks for no error: streams are asked when they are closed, and what it maps
// into memory without room behind it ends in SIGBUS, of which nothing is left but what is said.
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <unistd.h>
#include <zlib.h>

static bool waves_lost;
static std::string waves_path, waves_hier, waves_last_words;
static struct sigaction waves_before;

extern "C" int __real_fclose(FILE* file);
extern "C" int __real_gzclose(gzFile file);

extern "C" int __wrap_fclose(FILE* file) {
  const bool lost = ferror(file);
  const int result = __real_fclose(file);
  if (lost || result) waves_lost = true;
  return result;
}

extern "C" int __wrap_gzclose(gzFile file) {
  const int result = __real_gzclose(file);
  if (result != Z_OK) waves_lost = true;
  return result;
}

static void waves_end(int) {
  if (write(2, waves_last_words.data(), waves_last_words.size()) < 0) {}
  unlink(waves_path.c_str());
  unlink(waves_hier.c_str());
  _exit(1);
}

extern "C" void loom_trace_open(void* p, const char* path, const char* last_words) {
  LoomModel* m = static_cast<LoomModel*>(p);
  waves_path = path;
  waves_hier = waves_path + ".hier";
  waves_last_words = last_words;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = waves_end;
  sigaction(SIGBUS, &action, &waves_before);
  VerilatedFstC* f = new VerilatedFstC;
  m->top->trace(f, 99);
  f->open(path);
  if (!f->isOpen()) waves_lost = true;
  m->trace = f;
}

extern "C" void loom_trace_dump(void* p, uint64_t time) {
  LoomModel* m = static_cast<LoomModel*>(p);
  if (m->trace) static_cast<VerilatedFstC*>(m->trace)->dump(time);
}

extern "C" int loom_trace_close(void* p) {
  LoomModel* m = static_cast<LoomModel*>(p);
  if (m->trace) {
    static_cast<VerilatedFstC*>(m->trace)->close();
    delete static_cast<VerilatedFstC*>(m->trace);
    m->trace = nullptr;
    sigaction(SIGBUS, &waves_before, nullptr);
  }
  return waves_lost;
}
