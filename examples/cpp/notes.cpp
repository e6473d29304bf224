/* notes: work and personal notes side by side, as in ../c/notes.c, whose commands, files and exit status these are.
 *
 *     notes enroll UPN | add work|personal TEXT | list | show work|personal N | export work|personal N PATH | wipe
 *
 * Exit status: 0 done, 1 failed, 2 usage, 3 refused by policy.
 * Environment: MAM_AUTHORITY (required), MAM_STATE, MAM_APP, NOTES_DIR.
 * Build:       c++ -std=c++17 -o notes notes.cpp $(pkg-config --cflags --libs mam sqlite3)
 *
 * Every failing call throws mam::error, which main reports. Sessions, files and databases close themselves.
 */
#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <iostream>
#include <mam.hpp>
#include <sqlite3.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

enum { DONE = 0, FAILED = 1, USAGE = 2, REFUSED = 3 };

/* Ends the program with a status of its own. */
struct ended {
    int status;
};

void complain(std::string_view what, std::string_view why) { std::cerr << "notes: " << what << ": " << why << '\n'; }

std::string environment(const char *name, const char *otherwise = "") {
    const char *value = std::getenv(name);
    return value != nullptr ? value : otherwise;
}

/* JSON: a text quoted for settings; libmam parses its replies. */

std::string quote(std::string_view text) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string quoted = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') quoted += '\\';
        if (byte < 0x20) (quoted += "\\u00") += {digits[byte >> 4], digits[byte & 15]};
        else quoted += c;
    }
    return quoted + '"';
}

/* The pointer to a member of one finding. */
std::string in_finding(std::size_t number, const char *key) { return "/findings/" + std::to_string(number) + '/' + key; }

/* libmam. */

mam::session open_session() {
    const std::string authority = environment("MAM_AUTHORITY"), state = environment("MAM_STATE");
    /* A program that runs for a moment needs no worker: run_due does what is due. */
    std::string settings = R"({"worker":false,"app":{"id":)" + quote(environment("MAM_APP", "com.example.notes"));
    settings += R"(},"authority":{"type":"embedded","path":)" + quote(authority) + '}';
    if (!state.empty()) settings += R"(,"stateDirectory":)" + quote(state);
    mam::session m(settings + '}');
    /* Offline the last policy stays in force; launch checks for how long. */
    try {
        m.run_due();
    } catch (const mam::error &failure) {
        complain("check-in", failure.user_message());
    }
    return m;
}

/* The checks of the policies, before anything is shown. An account that it closes stays closed in this session: its files
 * and databases do not open. A finding about the app itself ends the program. */
void launch(const mam::session &m) {
    const mam::json_document report(m.wait(m.launch(), -1));
    bool goes_on = true;
    for (std::size_t i = 0; i < report.count("/findings"); i++) {
        complain("launch", report.string_value(in_finding(i, "userMessage")));
        const bool is_of_app = !report.has(in_finding(i, "accountId"));
        if (is_of_app && report.string_value(in_finding(i, "action")) != "warn") goes_on = false;
    }
    if (!goes_on) throw ended{REFUSED};
}

/* Events since the last run. A wipe, whoever requested it, has removed the account's folder. */
void hear(const mam::session &m) {
    while (const auto text = m.event_next(0)) {
        const mam::json_document event(*text);
        if (event.string_value("/event") == "wipeDidComplete")
            complain(event.string_value("/accountId"), "wiped; its notes are gone");
    }
}

/* The work account, or "", which is no account, for personal notes. */
std::string find_owner(const mam::session &m, std::string_view kind) {
    if (kind == "personal") return {};
    if (kind != "work") throw ended{USAGE};
    std::string account(mam::json_document(m.primary_account()).string_value("/accountId"));
    if (account.empty()) throw std::runtime_error("work account: there is none; use: notes enroll UPN");
    if (account.find('/') != std::string::npos) throw std::runtime_error(account + ": not a name for a folder");
    return account;
}

/* The notes of one owner. The folder belongs to the account, and so does everything created in it: a wipe removes all of
 * it. SQLite gets a VFS of the account. */
class notes {
  public:
    notes(const mam::session &m, std::string kind) : m_(m), kind_(std::move(kind)), account_(find_owner(m, kind_)) {
        const bool is_work = !account_.empty();
        if (is_work && mam::json_document(m.blocked_accounts()).count("") > 0) { /* closed by launch, whose finding has said why */
            complain("work notes", "closed");
            throw ended{REFUSED};
        }
        folder_ = std::filesystem::path(environment("NOTES_DIR", "notes")) / (is_work ? "work-" + account_ : "personal");
        std::filesystem::create_directories(folder_);
        const std::filesystem::path index = folder_ / "index.db";
        /* A policy may begin to require encryption: SQLite has to write a plain index anew. */
        if (is_work && std::filesystem::exists(index) && m.policy_for_account(account_).is_file_encryption_required())
            m.sqlite_encrypt(index.native(), account_);
        if (is_work) m.file_verify_and_protect(folder_.native(), account_);
        m.sqlite_vfs_register(kind_, account_);
        sqlite3 *opened = nullptr;
        const int status = sqlite3_open_v2(index.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, kind_.c_str());
        index_.reset(opened);
        check(status);
        check(sqlite3_busy_timeout(opened, 5000));
        execute("CREATE TABLE IF NOT EXISTS notes (number INTEGER PRIMARY KEY, title TEXT NOT NULL)");
    }

    /* The row is committed when the text is on the disk. A text without a row, as after a kill, is replaced by the next
     * note's. Closing the database rolls back uncommitted changes. */
    void add(std::string_view text) {
        execute("BEGIN IMMEDIATE");
        const statement row = prepare("INSERT INTO notes (title) VALUES (substr(replace(?, char(10), ' '), 1, 40))");
        check(sqlite3_bind_text(row.get(), 1, text.data(), static_cast<int>(text.size()), SQLITE_STATIC));
        if (sqlite3_step(row.get()) != SQLITE_DONE) check(sqlite3_errcode(index_.get()));
        const auto number = sqlite3_last_insert_rowid(index_.get());
        mam::file file = m_.file_create(path_of(number), O_WRONLY, 0600, account_);
        while (!text.empty()) text.remove_prefix(file.write(text));
        file.sync();
        execute("COMMIT");
        std::cout << kind_ << " note " << number << '\n';
    }

    void list() {
        const statement row = prepare("SELECT number, title FROM notes ORDER BY number");
        int step = SQLITE_DONE;
        while ((step = sqlite3_step(row.get())) == SQLITE_ROW) {
            std::cout << kind_ << ' ' << sqlite3_column_int(row.get(), 0) << ": ";
            std::cout << reinterpret_cast<const char *>(sqlite3_column_text(row.get(), 1)) << '\n';
        }
        if (step != SQLITE_DONE) check(step);
    }

    void show(sqlite3_int64 number) {
        std::array<char, 4096> piece{};
        mam::file file = m_.file_open(path_of(number), O_RDONLY);
        while (const std::size_t count = file.read(piece)) std::cout.write(piece.data(), static_cast<std::streamsize>(count));
        std::cout << '\n';
    }

    /* The owner's policy decides, and a refusal comes with its reason. */
    void export_to(sqlite3_int64 number, const std::string &target) {
        m_.file_export(path_of(number), MAM_SAVE_LOCAL_DRIVE, nullptr, target);
    }

  private:
    struct closer {
        void operator()(sqlite3 *index) const { sqlite3_close(index); }
        void operator()(sqlite3_stmt *row) const { sqlite3_finalize(row); }
    };
    using statement = std::unique_ptr<sqlite3_stmt, closer>;

    void check(int status) const {
        if (status != SQLITE_OK) throw std::runtime_error(folder_.native() + ": " + sqlite3_errmsg(index_.get()));
    }
    void execute(const char *sql) { check(sqlite3_exec(index_.get(), sql, nullptr, nullptr, nullptr)); }
    statement prepare(const char *sql) {
        sqlite3_stmt *row = nullptr;
        check(sqlite3_prepare_v2(index_.get(), sql, -1, &row, nullptr));
        return statement(row);
    }
    [[nodiscard]] std::string path_of(sqlite3_int64 number) const { return folder_ / (std::to_string(number) + ".txt"); }

    const mam::session &m_;
    std::string kind_, account_;
    std::filesystem::path folder_;
    std::unique_ptr<sqlite3, closer> index_;
};

/* Enrollment and wipe are operations: start, then wait for the status. */
void finish(const mam::session &m, std::int64_t op, const std::string &what) {
    const mam::json_document status(m.wait(op, -1));
    const std::string message(status.string_value("/userMessage"));
    if (!status.bool_value("/didSucceed", false)) throw std::runtime_error(what + ": " + message);
    std::cout << what << ": " << message << '\n';
}

int list_all(const mam::session &m) {
    try { /* without work notes the personal ones are still listed */
        notes(m, "work").list();
    } catch (const ended &) {
    } catch (const mam::error &failure) {
        complain("work notes", failure.user_message());
    } catch (const std::exception &failure) {
        complain("work notes", failure.what());
    }
    notes(m, "personal").list();
    return DONE;
}

int act(const mam::session &m, const std::vector<std::string> &word) {
    const std::size_t count = word.size();
    if (count == 1 && word[0] == "list") return list_all(m);
    const sqlite3_int64 number = count > 2 ? std::strtol(word[2].c_str(), nullptr, 10) : 0;
    const bool is_add = count == 3 && word[0] == "add", is_show = count == 3 && word[0] == "show" && number > 0;
    if (!is_add && !is_show && (count != 4 || word[0] != "export" || number <= 0)) return USAGE;
    notes of_owner(m, word[1]);
    if (is_add) of_owner.add(word[2]);
    else if (is_show) of_owner.show(number);
    else of_owner.export_to(number, word[3]);
    return DONE;
}

int run(const mam::session &m, const std::vector<std::string> &word) {
    if (word.size() == 2 && word[0] == "enroll") {
        finish(m, m.register_and_enroll("{\"upn\":" + quote(word[1]) + '}'), "enroll");
        return DONE;
    }
    if (word.size() == 1 && word[0] == "wipe") {
        finish(m, m.wipe_account(find_owner(m, "work")), "wipe"); /* a closed account can be removed too */
        return DONE;
    }
    launch(m); /* enrolling, or removing the account, requires no PIN */
    hear(m);
    return act(m, word);
}

int usage() {
    std::cerr << "usage: notes enroll UPN | add work|personal TEXT | list | show work|personal N | "
                 "export work|personal N PATH | wipe\n";
    return USAGE;
}

} // namespace

int main(int count, char **words) {
    if (count < 2) return usage();
    try {
        mam::session m = open_session();
        int result = FAILED;
        try {
            result = run(m, {words + 1, words + count});
        } catch (const ended &end) {
            result = end.status;
        } catch (const mam::error &failure) {
            complain(failure.code() == MAM_ERR_DENIED ? "refused" : words[1], failure.user_message());
            result = failure.code() == MAM_ERR_DENIED ? REFUSED : FAILED;
        }
        hear(m);
        m.close();
        return result == USAGE ? usage() : result;
    } catch (const mam::error &failure) {
        complain(words[1], failure.user_message());
        return FAILED;
    } catch (const std::exception &failure) {
        complain(words[1], failure.what());
        return FAILED;
    }
}
