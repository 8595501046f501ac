__DATA__


=== a thread pool has a number of threads
--- main_config
    thread_pool crew max_queue=4;
--- config
--- must_die
--- error_log
"thread_pool" must have "threads" parameter in



=== it has at least one
--- main_config
    thread_pool crew threads=0;
--- config
--- must_die
--- error_log
invalid threads value "threads=0" in



=== the length of its queue is a number
--- main_config
    thread_pool crew threads=4 max_queue=-1;
--- config
--- must_die
--- error_log
invalid max_queue value "max_queue=-1" in



=== there is one of a name
--- main_config
    thread_pool crew threads=4;
    thread_pool cooks threads=4;
    thread_pool crew threads=8;
--- config
--- must_die
--- error_log
duplicate thread pool "crew" in
