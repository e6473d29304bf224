#include <iostream>
#include <mam.hpp>

/* libmam's exceptions and runtime beside those of the host. */
int main(int, char **words) {
    try {
        mam::session session(words[1]);
        mam::session("{}").close();
    } catch (const mam::error &error) {
        std::cout << "caught: " << error.code() << '\n';
    }
}
