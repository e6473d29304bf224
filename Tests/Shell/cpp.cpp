/* cpp SETTINGS ACCOUNT: what mam.hpp adds to mam.h, on a session whose account is enrolled: handles that release themselves,
 * arguments, errors, and callbacks whose exceptions do not go through C. Wipes the account. Ends with 0, or names the line. */
#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <iostream>
#include <mam.hpp>
#if __cplusplus >= 202002L
#include <span>
#endif
#include <string>
#include <thread>
#include <vector>

namespace {

#define CHECK(condition)                                \
    do {                                                \
        if (!(condition)) failed(__LINE__, #condition); \
    } while (false)

[[noreturn]] void failed(int line, const char *what) {
    std::cerr << "cpp.cpp:" << line << ": " << what << '\n';
    std::_Exit(1);
}

struct thrown {
    int number;
};

template <typename Call> mam_status status_of(Call call) {
    try {
        call();
    } catch (const mam::error &error) {
        CHECK(error.what() != std::string_view());
        return error.code();
    }
    return MAM_OK;
}

template <typename Call> int number_thrown(Call call) {
    try {
        call();
    } catch (const thrown &it) {
        return it.number;
    }
    return 0;
}

void errors_and_arguments(const mam::session &m, const std::string &account) {
    try {
        mam::session none("{");
        CHECK(false);
    } catch (const mam::error &error) {
        CHECK(error.code() == MAM_ERR_JSON);
        CHECK(error.json().find("\"name\":\"json\"") != std::string::npos);
        CHECK(!error.user_message().empty() && error.json().find(error.user_message()) != std::string::npos);
    }
    const std::string_view cut = std::string_view("annex").substr(0, 3), nul("a\0b", 3);
    CHECK(m.identity_equal(cut, std::string("ann")) && !m.identity_equal(cut, nullptr) && m.identity_equal(nullptr, nullptr));
    CHECK(!m.identity_equal(nullptr, std::string_view()) && m.identity_equal("", std::string_view()));
    CHECK(status_of([&] { (void)m.is_account_managed(nul); }) == MAM_ERR_ARGUMENT);
    CHECK(status_of([&] { m.pin_verify(account, mam::bytes()); }) == MAM_ERR_ARGUMENT);
    CHECK(status_of([&] { (void)mam::policy_lint("{"); }) == MAM_ERR_JSON);
    CHECK(mam::bytes("PIN").size() == 3 && mam::bytes(std::vector<std::uint8_t>(5)).size() == 5);
    CHECK(mam::version() == std::string_view(MAM_VERSION) && mam::abi_version() == MAM_ABI_VERSION);
}

void handles(const mam::session &m, const std::string &account) {
    mam::policy policy = m.policy_for_account(account), other = std::move(policy);
    CHECK(other && !policy); // NOLINT: what a moved handle is
    CHECK(!policy.is_print_allowed() && mam::last_status() == MAM_ERR_ARGUMENT);
    CHECK(status_of([&] { (void)policy.json(); }) == MAM_ERR_ARGUMENT);
    CHECK(!other.is_save_to_allowed(MAM_SAVE_LOCAL_DRIVE, nullptr) && mam::last_status() == MAM_OK);
    mam::decision refusal = other.save_to_reason(MAM_SAVE_LOCAL_DRIVE, nullptr), kept = std::move(refusal);
    CHECK(!kept.is_allowed() && kept.setting() == "saveAsBlocked" && !kept.policy_name().empty());
    CHECK(kept.json().find(kept.message()) != std::string::npos);
    CHECK(refusal.message().empty() && mam::last_status() == MAM_ERR_ARGUMENT); // NOLINT: what a moved handle is
    CHECK(status_of([&] { (void)other.reason(20); }) == MAM_ERR_ARGUMENT);
    CHECK(!other.url_reason("no link", false).is_allowed());
    CHECK(m.policy_decide(R"({"action":"openFrom","account":"","location":"camera"})").is_allowed());
    const mam::json_document parsed(R"({"accounts":[{"upn":"ann"}],"managed":true,"count":7,"a/b":null})");
    CHECK(parsed.string_value("/accounts/0/upn") == "ann" && parsed.string_value("/managed").empty());
    CHECK(parsed.bool_value("/managed", false) && parsed.bool_value("/none", true) && !parsed.bool_value("/none", false));
    CHECK(parsed.integer_value("/count", -1) == 7 && parsed.integer_value("/accounts", -1) == -1);
    CHECK(parsed.count("") == 4 && parsed.count("/accounts") == 1 && parsed.key("", 3) == "a/b" && parsed.key("", 4).empty());
    CHECK(parsed.has(std::string("/count")) && !parsed.has("/a~1b") && mam::last_status() == MAM_OK);
    CHECK(!parsed.has("count") && mam::last_status() == MAM_ERR_ARGUMENT);
    CHECK(status_of([] { mam::json_document("{"); }) == MAM_ERR_JSON);
    other = m.policy_for_account("");
    CHECK(other.open_from_reason(MAM_OPEN_CAMERA, nullptr).message().empty());
    CHECK(other.is_save_to_allowed(MAM_SAVE_LOCAL_DRIVE, nullptr));
    mam_policy_t *raw = other.release();
    const mam::policy again(raw);
    CHECK(m.app_config("null").full_data().front() == '[');
    CHECK(m.event_fd() >= 0);
}

void runs(const mam::session &m, const std::string &account) {
    std::string seen;
    m.run_as(account, [&] { seen = m.effective_identity(MAM_TASK_FILE); });
    CHECK(seen.size() > 2);
    CHECK(number_thrown([&] { m.run_as(account, [] { throw thrown{7}; }); }) == 7);
    m.push_thread_identity(account);
    const mam::identity identity = m.identity_capture();
    m.pop_thread_identity();
    std::string elsewhere;
    std::thread([&] { identity.run([&] { elsewhere = m.effective_identity(MAM_TASK_FILE); }); }).join();
    CHECK(elsewhere == seen);
    CHECK(number_thrown([&] { identity.run([] { throw thrown{8}; }); }) == 8);
    CHECK(status_of([&] { m.run_as(std::string(1000, 'a'), [] { throw thrown{9}; }); }) == MAM_ERR_ARGUMENT);
}

void data(const mam::session &m, const std::string &account) {
    const std::string plain(1 << 20, 'x');
    const mam::buffer sealed = m.protect(account, plain);
    bool was_protected = false;
    mam::buffer opened = m.unprotect(sealed, 0, &was_protected), moved = std::move(opened);
    CHECK(was_protected && moved.view() == plain && opened.empty()); // NOLINT: what a moved buffer is
    std::vector<std::uint8_t> room(mam::protect_bound(plain.size()));
    CHECK(m.protect_into(account, plain, room) == sealed.size());
    for (const std::uint32_t flags : {std::uint32_t{0}, std::uint32_t{MAM_TWO_THREADS}}) {
        std::string container, back;
        mam::protect_stream in = m.protect_stream_open(account, flags, [&](mam::bytes piece) { container += piece.view(); });
        in.write(plain);
        mam::protect_stream same = std::move(in);
        CHECK(status_of([&] { in.write(plain); }) == MAM_ERR_ARGUMENT); // NOLINT: what a moved stream is
        same.close();
        mam::unprotect_stream out = m.unprotect_stream_open(flags, [&](mam::bytes piece) { back += piece.view(); });
        out.write(container);
        CHECK(out.close() && back == plain);
        CHECK(
            number_thrown([&] {
                mam::protect_stream broken = m.protect_stream_open(account, flags, [](mam::bytes) { throw thrown{3}; });
                for (int i = 0; i < 10; i++) broken.write(plain);
                broken.close();
            })
            == 3);
        mam::unprotect_stream dropped = m.unprotect_stream_open(flags, [](mam::bytes) { throw thrown{4}; });
        dropped.abandon();
    }
#if __cplusplus >= 202002L
    const std::span<const std::uint8_t> span = mam::bytes(sealed);
    CHECK(m.unprotect(std::as_bytes(span), MAM_STRICT).size() == plain.size());
#endif
}

void files(const mam::session &m, const std::string &account) {
    std::array<char, 16> piece{};
    mam::file file = m.file_create("file", O_RDWR, 0600, account);
    CHECK(file.write("secret") == 6 && file.size() == 6 && file.seek(0, SEEK_SET) == 0);
    CHECK(file.read(piece) == 6 && std::string_view(piece.data(), 6) == "secret" && file.tell() == 6);
    file.sync();
    file.close();
    CHECK(m.file_is_encrypted("file"));
    CHECK(status_of([&] { m.file_export("file", MAM_SAVE_LOCAL_DRIVE, nullptr, "leak"); }) == MAM_ERR_DENIED);
    CHECK(status_of([&] { (void)m.file_open("missing", O_RDONLY); }) == MAM_ERR_NOT_FOUND);
}

void callbacks(mam::session &m, const std::string &account) {
    int lines = 0, questions = 0, events = 0;
    m.set_telemetry(MAM_PRIVACY_OPTIONAL, [&](std::string_view event) {
        events += event.find("\"name\":\"wipe\"") != std::string_view::npos ? 1 : 0;
        throw thrown{3};
    });
    m.set_log(MAM_LOG_VERBOSE, [&](std::int32_t, std::string_view) {
        lines++;
        m.set_log(MAM_LOG_VERBOSE, [&](std::int32_t, std::string_view) {
            lines++;
            throw thrown{1};
        });
    });
    m.set_delegate([&](const mam::question &question, std::string_view json) {
        if (json.find("wipeData") == std::string_view::npos) return;
        questions++;
        m.answer(question.id(), R"({"removed":false})");
        CHECK(status_of([&] { m.close(); }) == MAM_ERR_DEADLOCK);
        throw thrown{2};
    });
    mam::session moved = std::move(m);
    m = std::move(moved);
    CHECK(status_of([&] { m.set_log(99, [](std::int32_t, std::string_view) {}); }) == MAM_ERR_ARGUMENT);
    const std::string status = m.wait(m.wipe_account(account), -1);
    CHECK(status.find("\"didSucceed\":true") != std::string::npos);
    CHECK(questions == 1 && lines > 1);
    m.set_delegate(nullptr);
    m.set_log(MAM_LOG_ERROR, nullptr);
    m.set_telemetry(MAM_PRIVACY_OPTIONAL, nullptr);
    CHECK(events > 0);
}

} // namespace

int main(int, char **words) {
    mam::session m(words[1]);
    const std::string account = words[2];
    errors_and_arguments(m, account);
    handles(m, account);
    runs(m, account);
    data(m, account);
    files(m, account);
    const mam::policy outlives = m.policy_for_account(account);
    callbacks(m, account);
    m.close();
    CHECK(!m && status_of([&] { (void)outlives.json(); }) == MAM_ERR_CLOSED);
    return 0;
}
