#error "nobody compiles this"
