/** libmam for C++17: mam.h with handles that release themselves, views as arguments, and errors as
 *  exceptions. docs/cpp.md introduces it.
 *
 *  Nothing here but forwarding: each function has the name of its C function without the prefix, or
 *  without that of its handle (mam_policy_is_print_allowed is policy::is_print_allowed, and where
 *  that is a word of C++, mam_app_config_bool is app_config::bool_value); mam.h says what it does.
 *  The output of a C function is returned. Any status but MAM_OK is thrown as
 *  mam::error. Predicates throw nothing that libmam finds: they return their closed value, and
 *  mam::last_status tells failure from refusal.
 *
 *  Not forwarded:
 *    mam_sqlite_extension_init   SQLite calls it.
 */
#ifndef MAM_HPP
#define MAM_HPP

#if __cplusplus < 201703L
#error "mam.hpp needs C++17"
#else // without it, each line below would be an error too

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mam.h>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace mam {

/// mam_version
[[nodiscard]] inline const char *version() noexcept { return mam_version(); }
/// mam_status_name
[[nodiscard]] inline const char *status_name(mam_status status) noexcept {
    return mam_status_name(status);
}
/// mam_last_status
[[nodiscard]] inline mam_status last_status() noexcept { return mam_last_status(); }

/// A C function failed: what() is mam_last_message, user_message() is mam_last_user_message, json()
/// is mam_last_error_json.
class error : public std::runtime_error {
  public:
    error(
        mam_status code, const std::string &message, const std::string &user_message,
        const std::string &json)
        : std::runtime_error(message), code_(code),
          user_message_(std::make_shared<const std::string>(user_message)),
          json_(std::make_shared<const std::string>(json)) {}
    /// MAM_ERR_*.
    [[nodiscard]] mam_status code() const noexcept { return code_; }
    /// {"status","name","message","userMessage","messageKey","detail"}; "" where an argument never
    /// reached libmam.
    [[nodiscard]] const std::string &json() const noexcept { return *json_; }
    /// The sentence for the person who uses the host.
    [[nodiscard]] const std::string &user_message() const noexcept { return *user_message_; }

  private:
    mam_status code_;
    std::shared_ptr<const std::string> user_message_,
        json_; // copies of an exception must not throw
};

/// A text argument: a view, a string, a C string, or nullptr, which is C's NULL. Text with a NUL
/// inside is MAM_ERR_ARGUMENT, because C would see its beginning alone.
class text {
  public:
    text(std::nullptr_t) noexcept {}
    text(const char *characters) noexcept : pointer_(characters) {}
    text(const std::string &string) : pointer_(string.c_str()) { refuse_nul(string); }
    text(std::string_view view) : copy_(view), pointer_(copy_.c_str()) { refuse_nul(view); }
    text(const text &) = delete;
    text &operator=(const text &) = delete;
    ~text() = default;
    [[nodiscard]] const char *get() const noexcept { return pointer_; }

  private:
    static void refuse_nul(std::string_view view) {
        if (view.find('\0') != std::string_view::npos)
            throw error(
                MAM_ERR_ARGUMENT, "a text has a NUL character inside",
                "Something went wrong in this app.", "");
    }
    std::string copy_;
    const char *pointer_ = nullptr;
};

namespace detail {
template <typename Container>
using element = std::remove_pointer_t<decltype(std::declval<Container &>().data())>;
template <typename Element>
inline constexpr bool is_byte = sizeof(Element) == 1 && std::is_trivially_copyable_v<Element>;
} // namespace detail

/// Bytes to read: a pointer and a size, a C string without its NUL, or anything contiguous of
/// elements of one byte (std::string, std::vector<std::uint8_t>, std::span<const std::byte>). They
/// convert to a std::span. Without a pointer they are C's NULL and 0.
class bytes {
  public:
    bytes() noexcept = default;
    bytes(const void *data, std::size_t size) noexcept
        : data_(static_cast<const std::uint8_t *>(data)), size_(size) {}
    bytes(const char *string) noexcept
        : bytes(string, string == nullptr ? 0 : std::char_traits<char>::length(string)) {}
    template <
        typename Container,
        typename = std::enable_if_t<detail::is_byte<detail::element<const Container>>>>
    bytes(const Container &container) noexcept
        : bytes(static_cast<const void *>(container.data()), container.size()) {}
    [[nodiscard]] const std::uint8_t *data() const noexcept { return data_; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] const std::uint8_t *begin() const noexcept { return data_; }
    [[nodiscard]] const std::uint8_t *end() const noexcept { return data_ + size_; }
    /// The bytes as characters.
    [[nodiscard]] std::string_view view() const noexcept {
        return {reinterpret_cast<const char *>(data_), size_};
    }

  private:
    const std::uint8_t *data_ = nullptr;
    std::size_t size_ = 0;
};

/// Room to write to, in the same forms.
class mutable_bytes {
  public:
    mutable_bytes(void *data, std::size_t size) noexcept
        : data_(static_cast<std::uint8_t *>(data)), size_(size) {}
    template <
        typename Container,
        typename = std::enable_if_t<
            detail::is_byte<
                detail::element<Container>> && !std::is_const_v<detail::element<Container>>>>
    mutable_bytes(Container &&container) noexcept
        : mutable_bytes(static_cast<void *>(container.data()), container.size()) {}
    [[nodiscard]] std::uint8_t *data() const noexcept { return data_; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] std::uint8_t *begin() const noexcept { return data_; }
    [[nodiscard]] std::uint8_t *end() const noexcept { return data_ + size_; }

  private:
    std::uint8_t *data_;
    std::size_t size_;
};

namespace detail {

/// Throws the calling thread's latest error.
[[noreturn]] inline void fail(mam_status status) {
    const std::string message = mam_last_message(), user_message = mam_last_user_message();
    char *detail = nullptr;
    if (mam_last_error_json(&detail) != MAM_OK) throw error(status, message, user_message, "");
    const std::unique_ptr<char, void (*)(void *)> owner(detail, mam_free);
    throw error(status, message, user_message, detail);
}

inline void check(mam_status status) {
    if (status != MAM_OK) fail(status);
}

/// Returns the output of a call.
template <typename Value, typename Call> Value value_of(Call call) {
    Value value{};
    check(call(&value));
    return value;
}

template <typename Call> std::string string_of(Call call) {
    const std::unique_ptr<char, void (*)(void *)> owner(value_of<char *>(call), mam_free);
    return owner ? std::string(owner.get()) : std::string();
}

/// An output of a mam_bool beside another one; may be left out.
class flag {
  public:
    explicit flag(bool *target) noexcept : target_(target) {}
    flag(const flag &) = delete;
    flag &operator=(const flag &) = delete;
    ~flag() {
        if (target_ != nullptr) *target_ = value_ != 0;
    }
    [[nodiscard]] mam_bool *put() noexcept { return &value_; }

  private:
    bool *target_;
    mam_bool value_ = 0;
};

/// A handle that is released once.
template <typename Handle, void (*Release)(Handle *)> class owner {
  public:
    owner() noexcept = default;
    /// Takes over a handle of C.
    explicit owner(Handle *handle) noexcept : handle_(handle) {}
    owner(owner &&other) noexcept : handle_(other.release()) {}
    owner &operator=(owner &&other) noexcept {
        reset(other.release());
        return *this;
    }
    ~owner() { reset(); }
    [[nodiscard]] Handle *get() const noexcept { return handle_; }
    explicit operator bool() const noexcept { return handle_ != nullptr; }
    /// Hands the handle over to the caller.
    [[nodiscard]] Handle *release() noexcept { return std::exchange(handle_, nullptr); }
    void reset(Handle *handle = nullptr) noexcept {
        if (Handle *old = std::exchange(handle_, handle)) Release(old);
    }

  private:
    Handle *handle_ = nullptr;
};

/// A destructor cannot report: file::close does.
inline void close_file(mam_file_t *file) noexcept { (void)mam_file_close(file); }

/// The function that a callback of C calls. It can be replaced while it runs.
template <typename Signature> class slot {
  public:
    using function = std::function<Signature>;
    std::shared_ptr<const function> swap(std::shared_ptr<const function> next) {
        const std::lock_guard<std::mutex> lock(mutex_);
        function_.swap(next);
        return next;
    }
    template <typename... Arguments> void call(const Arguments &...arguments) noexcept {
        try {
            std::unique_lock<std::mutex> lock(mutex_);
            const std::shared_ptr<const function> current = function_;
            lock.unlock();
            if (current && *current) (*current)(arguments...);
        } catch (...) { // must not go through C
        }
    }

  private:
    std::mutex mutex_;
    std::shared_ptr<const function> function_;
};

/// A function that C calls once, on the same thread, and its exception.
struct run {
    const std::function<void()> &function;
    std::exception_ptr thrown;
    static void call(void *self) noexcept {
        run &it = *static_cast<run *>(self);
        try {
            it.function();
        } catch (...) {
            it.thrown = std::current_exception();
        }
    }
    void finish(mam_status status) const {
        if (thrown) std::rethrow_exception(thrown);
        check(status);
    }
};

/// The function that a stream calls, and the exception that ended the stream.
class sink {
  public:
    explicit sink(std::function<void(bytes)> function) : function_(std::move(function)) {}
    static std::int32_t call(void *self, const std::uint8_t *data, std::size_t length) noexcept {
        sink &it = *static_cast<sink *>(self);
        try {
            it.function_(bytes(data, length));
            return 0;
        } catch (...) {
            const std::lock_guard<std::mutex> lock(it.mutex_);
            it.thrown_ = std::current_exception();
            return 1;
        }
    }
    static void check(sink *self, mam_status status) {
        if (self != nullptr && status == MAM_ERR_CANCELED) self->rethrow();
        detail::check(status);
    }

  private:
    void rethrow() {
        std::unique_lock<std::mutex> lock(mutex_);
        const std::exception_ptr thrown = std::exchange(thrown_, nullptr);
        lock.unlock();
        if (thrown) std::rethrow_exception(thrown);
    }
    std::function<void(bytes)> function_;
    std::mutex mutex_;
    std::exception_ptr thrown_;
};

} // namespace detail

/// Bytes that libmam made; mam_buffer_free zeroes and releases them.
class buffer {
  public:
    buffer() noexcept = default;
    explicit buffer(mam_buffer made) noexcept : made_(made) {}
    buffer(buffer &&other) noexcept : made_(std::exchange(other.made_, mam_buffer{})) {}
    buffer &operator=(buffer &&other) noexcept {
        std::swap(made_, other.made_);
        return *this;
    }
    ~buffer() { mam_buffer_free(&made_); }
    [[nodiscard]] const std::uint8_t *data() const noexcept { return made_.data; }
    [[nodiscard]] std::size_t size() const noexcept { return made_.length; }
    [[nodiscard]] bool empty() const noexcept { return made_.length == 0; }
    [[nodiscard]] const std::uint8_t *begin() const noexcept { return data(); }
    [[nodiscard]] const std::uint8_t *end() const noexcept { return data() + size(); }
    /// The bytes as characters.
    [[nodiscard]] std::string_view view() const noexcept { return bytes(*this).view(); }

  private:
    mam_buffer made_{};
};

/// A question, while the delegate is called with it.
class question {
  public:
    explicit question(const mam_question_t *handle) noexcept : handle_(handle) {}
    [[nodiscard]] const mam_question_t *get() const noexcept { return handle_; }
    /// mam_question_id
    [[nodiscard]] std::int64_t id() const noexcept { return mam_question_id(handle_); }

  private:
    const mam_question_t *handle_;
};

/// mam_decision_t; mam_decision_release. The views last as long as the decision.
class decision : public detail::owner<mam_decision_t, mam_decision_release> {
  public:
    using owner::owner;
    /// mam_decision_is_allowed
    [[nodiscard]] bool is_allowed() const noexcept { return mam_decision_is_allowed(get()) != 0; }
    /// mam_decision_setting
    [[nodiscard]] std::string_view setting() const noexcept { return mam_decision_setting(get()); }
    /// mam_decision_policy_name
    [[nodiscard]] std::string_view policy_name() const noexcept {
        return mam_decision_policy_name(get());
    }
    /// mam_decision_message
    [[nodiscard]] std::string_view message() const noexcept { return mam_decision_message(get()); }
    /// mam_decision_user_message
    [[nodiscard]] std::string_view user_message() const noexcept {
        return mam_decision_user_message(get());
    }
    /// mam_decision_message_key
    [[nodiscard]] std::string_view message_key() const noexcept {
        return mam_decision_message_key(get());
    }
    /// mam_decision_json
    [[nodiscard]] std::string json() const {
        return detail::string_of([&](char **put) { return mam_decision_json(get(), put); });
    }
};

/// mam_json_t; mam_json_release. The views last as long as it.
class json_document : public detail::owner<mam_json_t, mam_json_release> {
  public:
    using owner::owner;
    /// mam_json_parse
    explicit json_document(text json)
        : owner(detail::value_of<mam_json_t *>(
            [&](mam_json_t **put) { return mam_json_parse(json.get(), put); })) {}
    /// mam_json_has
    [[nodiscard]] bool has(text pointer) const noexcept {
        return mam_json_has(get(), pointer.get()) != 0;
    }
    /// mam_json_text
    [[nodiscard]] std::string_view string_value(text pointer) const noexcept {
        return mam_json_text(get(), pointer.get());
    }
    /// mam_json_integer
    [[nodiscard]] std::int64_t integer_value(text pointer, std::int64_t fallback) const noexcept {
        return mam_json_integer(get(), pointer.get(), fallback);
    }
    /// mam_json_bool
    [[nodiscard]] bool bool_value(text pointer, bool fallback) const noexcept {
        return mam_json_bool(get(), pointer.get(), fallback ? 1 : 0) != 0;
    }
    /// mam_json_count
    [[nodiscard]] std::size_t count(text pointer) const noexcept {
        return mam_json_count(get(), pointer.get());
    }
    /// mam_json_key
    [[nodiscard]] std::string_view key(text pointer, std::size_t index) const noexcept {
        return mam_json_key(get(), pointer.get(), index);
    }
};

/// mam_policy_t; mam_policy_release.
class policy : public detail::owner<mam_policy_t, mam_policy_release> {
  public:
    using owner::owner;
    /// mam_policy_is_pin_required
    [[nodiscard]] bool is_pin_required() const noexcept {
        return mam_policy_is_pin_required(get()) != 0;
    }
    /// mam_policy_is_managed_browser_required
    [[nodiscard]] bool is_managed_browser_required() const noexcept {
        return mam_policy_is_managed_browser_required(get()) != 0;
    }
    /// mam_policy_is_contact_sync_allowed
    [[nodiscard]] bool is_contact_sync_allowed() const noexcept {
        return mam_policy_is_contact_sync_allowed(get()) != 0;
    }
    /// mam_policy_is_widget_content_sync_allowed
    [[nodiscard]] bool is_widget_content_sync_allowed() const noexcept {
        return mam_policy_is_widget_content_sync_allowed(get()) != 0;
    }
    /// mam_policy_is_indexing_allowed
    [[nodiscard]] bool is_indexing_allowed() const noexcept {
        return mam_policy_is_indexing_allowed(get()) != 0;
    }
    /// mam_policy_are_assistant_intents_allowed
    [[nodiscard]] bool are_assistant_intents_allowed() const noexcept {
        return mam_policy_are_assistant_intents_allowed(get()) != 0;
    }
    /// mam_policy_are_app_intents_allowed
    [[nodiscard]] bool are_app_intents_allowed() const noexcept {
        return mam_policy_are_app_intents_allowed(get()) != 0;
    }
    /// mam_policy_is_app_sharing_allowed
    [[nodiscard]] bool is_app_sharing_allowed() const noexcept {
        return mam_policy_is_app_sharing_allowed(get()) != 0;
    }
    /// mam_policy_is_file_encryption_required
    [[nodiscard]] bool is_file_encryption_required() const noexcept {
        return mam_policy_is_file_encryption_required(get()) != 0;
    }
    /// mam_policy_should_file_provider_encrypt
    [[nodiscard]] bool should_file_provider_encrypt() const noexcept {
        return mam_policy_should_file_provider_encrypt(get()) != 0;
    }
    /// mam_policy_is_screen_capture_allowed
    [[nodiscard]] bool is_screen_capture_allowed() const noexcept {
        return mam_policy_is_screen_capture_allowed(get()) != 0;
    }
    /// mam_policy_is_print_allowed
    [[nodiscard]] bool is_print_allowed() const noexcept {
        return mam_policy_is_print_allowed(get()) != 0;
    }
    /// mam_policy_is_backup_allowed
    [[nodiscard]] bool is_backup_allowed() const noexcept {
        return mam_policy_is_backup_allowed(get()) != 0;
    }
    /// mam_policy_are_third_party_keyboards_allowed
    [[nodiscard]] bool are_third_party_keyboards_allowed() const noexcept {
        return mam_policy_are_third_party_keyboards_allowed(get()) != 0;
    }
    /// mam_policy_is_document_picker_allowed
    [[nodiscard]] bool is_document_picker_allowed(std::int32_t mode) const noexcept {
        return mam_policy_is_document_picker_allowed(get(), mode) != 0;
    }
    /// mam_policy_is_save_to_allowed
    [[nodiscard]] bool is_save_to_allowed(mam_save_location location, text account) const {
        return mam_policy_is_save_to_allowed(get(), location, account.get()) != 0;
    }
    /// mam_policy_is_open_from_allowed
    [[nodiscard]] bool is_open_from_allowed(mam_open_location location, text account) const {
        return mam_policy_is_open_from_allowed(get(), location, account.get()) != 0;
    }
    /// mam_policy_can_receive_data
    [[nodiscard]] bool can_receive_data(bytes data) const noexcept {
        return mam_policy_can_receive_data(get(), data.data(), data.size()) != 0;
    }
    /// mam_policy_can_receive_file
    [[nodiscard]] bool can_receive_file(text path) const {
        return mam_policy_can_receive_file(get(), path.get()) != 0;
    }
    /// mam_policy_is_url_allowed
    [[nodiscard]] bool is_url_allowed(text url, bool known_managed_scheme) const {
        return mam_policy_is_url_allowed(get(), url.get(), known_managed_scheme ? 1 : 0) != 0;
    }
    /// mam_policy_is_universal_link_allowed
    [[nodiscard]] bool is_universal_link_allowed(text url) const {
        return mam_policy_is_universal_link_allowed(get(), url.get()) != 0;
    }
    /// mam_policy_url
    [[nodiscard]] std::string url(text url) const {
        return detail::string_of([&](char **put) { return mam_policy_url(get(), url.get(), put); });
    }
    /// mam_policy_notification
    [[nodiscard]] std::int32_t notification() const noexcept {
        return mam_policy_notification(get());
    }
    /// mam_policy_clipboard
    [[nodiscard]] std::string clipboard(text account, std::size_t length) const {
        return detail::string_of(
            [&](char **put) { return mam_policy_clipboard(get(), account.get(), length, put); });
    }
    /// mam_policy_web_view
    [[nodiscard]] std::string web_view(text viewer_json) const {
        return detail::string_of(
            [&](char **put) { return mam_policy_web_view(get(), viewer_json.get(), put); });
    }
    /// mam_policy_filter_share_targets
    [[nodiscard]] std::string filter_share_targets(text targets_json) const {
        return detail::string_of([&](char **put) {
            return mam_policy_filter_share_targets(get(), targets_json.get(), put);
        });
    }
    /// mam_policy_save_to_locations
    [[nodiscard]] std::string save_to_locations(text account) const {
        return detail::string_of(
            [&](char **put) { return mam_policy_save_to_locations(get(), account.get(), put); });
    }
    /// mam_policy_open_from_locations
    [[nodiscard]] std::string open_from_locations(text account) const {
        return detail::string_of(
            [&](char **put) { return mam_policy_open_from_locations(get(), account.get(), put); });
    }
    /// mam_policy_json
    [[nodiscard]] std::string json() const {
        return detail::string_of([&](char **put) { return mam_policy_json(get(), put); });
    }
    /// mam_policy_reason
    [[nodiscard]] decision reason(std::int32_t question) const {
        return decision(detail::value_of<mam_decision_t *>(
            [&](mam_decision_t **put) { return mam_policy_reason(get(), question, put); }));
    }
    /// mam_policy_save_to_reason
    [[nodiscard]] decision save_to_reason(mam_save_location location, text account) const {
        return decision(detail::value_of<mam_decision_t *>([&](mam_decision_t **put) {
            return mam_policy_save_to_reason(get(), location, account.get(), put);
        }));
    }
    /// mam_policy_open_from_reason
    [[nodiscard]] decision open_from_reason(mam_open_location location, text account) const {
        return decision(detail::value_of<mam_decision_t *>([&](mam_decision_t **put) {
            return mam_policy_open_from_reason(get(), location, account.get(), put);
        }));
    }
    /// mam_policy_url_reason
    [[nodiscard]] decision url_reason(text url, bool known_managed_scheme) const {
        return decision(detail::value_of<mam_decision_t *>([&](mam_decision_t **put) {
            return mam_policy_url_reason(get(), url.get(), known_managed_scheme ? 1 : 0, put);
        }));
    }
};

/// mam_identity_t; mam_identity_release.
class identity : public detail::owner<mam_identity_t, mam_identity_release> {
  public:
    using owner::owner;
    /// mam_identity_run; throws what the function throws.
    void run(const std::function<void()> &function) const {
        detail::run state{function, nullptr};
        state.finish(mam_identity_run(get(), detail::run::call, &state));
    }
};

/// mam_app_config_t; mam_app_config_release.
class app_config : public detail::owner<mam_app_config_t, mam_app_config_release> {
  public:
    using owner::owner;
    /// mam_app_config_full_data
    [[nodiscard]] std::string full_data() const {
        return detail::string_of([&](char **put) { return mam_app_config_full_data(get(), put); });
    }
    /// mam_app_config_conflicts
    [[nodiscard]] std::string conflicts() const {
        return detail::string_of([&](char **put) { return mam_app_config_conflicts(get(), put); });
    }
    /// mam_app_config_has_conflict
    [[nodiscard]] bool has_conflict(text key) const {
        return mam_app_config_has_conflict(get(), key.get()) != 0;
    }
    /// mam_app_config_bool
    [[nodiscard]] std::string bool_value(text key, std::int32_t query) const {
        return detail::string_of(
            [&](char **put) { return mam_app_config_bool(get(), key.get(), query, put); });
    }
    /// mam_app_config_number
    [[nodiscard]] std::string number_value(text key, std::int32_t query) const {
        return detail::string_of(
            [&](char **put) { return mam_app_config_number(get(), key.get(), query, put); });
    }
    /// mam_app_config_integer
    [[nodiscard]] std::string integer_value(text key, std::int32_t query) const {
        return detail::string_of(
            [&](char **put) { return mam_app_config_integer(get(), key.get(), query, put); });
    }
    /// mam_app_config_string
    [[nodiscard]] std::string string_value(text key, std::int32_t query) const {
        return detail::string_of(
            [&](char **put) { return mam_app_config_string(get(), key.get(), query, put); });
    }
    /// mam_app_config_all_bools
    [[nodiscard]] std::string all_bools(text key) const {
        return detail::string_of(
            [&](char **put) { return mam_app_config_all_bools(get(), key.get(), put); });
    }
    /// mam_app_config_all_numbers
    [[nodiscard]] std::string all_numbers(text key) const {
        return detail::string_of(
            [&](char **put) { return mam_app_config_all_numbers(get(), key.get(), put); });
    }
    /// mam_app_config_all_integers
    [[nodiscard]] std::string all_integers(text key) const {
        return detail::string_of(
            [&](char **put) { return mam_app_config_all_integers(get(), key.get(), put); });
    }
    /// mam_app_config_all_strings
    [[nodiscard]] std::string all_strings(text key) const {
        return detail::string_of(
            [&](char **put) { return mam_app_config_all_strings(get(), key.get(), put); });
    }
};

/// mam_file_t; mam_file_close.
class file : public detail::owner<mam_file_t, detail::close_file> {
  public:
    using owner::owner;
    /// mam_file_close
    void close() { detail::check(mam_file_close(release())); }
    /// mam_file_read
    [[nodiscard]] std::size_t read(mutable_bytes out) {
        return detail::value_of<std::size_t>(
            [&](std::size_t *put) { return mam_file_read(get(), out.data(), out.size(), put); });
    }
    /// mam_file_write
    [[nodiscard]] std::size_t write(bytes data) {
        return detail::value_of<std::size_t>(
            [&](std::size_t *put) { return mam_file_write(get(), data.data(), data.size(), put); });
    }
    /// mam_file_pread
    [[nodiscard]] std::size_t pread(std::int64_t offset, mutable_bytes out) {
        return detail::value_of<std::size_t>([&](std::size_t *put) {
            return mam_file_pread(get(), offset, out.data(), out.size(), put);
        });
    }
    /// mam_file_pwrite
    [[nodiscard]] std::size_t pwrite(std::int64_t offset, bytes data) {
        return detail::value_of<std::size_t>([&](std::size_t *put) {
            return mam_file_pwrite(get(), offset, data.data(), data.size(), put);
        });
    }
    /// mam_file_seek
    std::int64_t seek(std::int64_t offset, std::int32_t whence) {
        return detail::value_of<std::int64_t>(
            [&](std::int64_t *put) { return mam_file_seek(get(), offset, whence, put); });
    }
    /// mam_file_tell
    [[nodiscard]] std::int64_t tell() {
        return detail::value_of<std::int64_t>(
            [&](std::int64_t *put) { return mam_file_tell(get(), put); });
    }
    /// mam_file_truncate
    void truncate(std::int64_t size) { detail::check(mam_file_truncate(get(), size)); }
    /// mam_file_size
    [[nodiscard]] std::int64_t size() {
        return detail::value_of<std::int64_t>(
            [&](std::int64_t *put) { return mam_file_size(get(), put); });
    }
    /// mam_file_sync
    void sync() { detail::check(mam_file_sync(get())); }
    /// mam_file_datasync
    void datasync() { detail::check(mam_file_datasync(get())); }
};

namespace detail {
inline void abandon(mam_protect_stream_t *stream) {
    (void)!mam_protect_stream_close(stream, MAM_ABANDON);
}
inline void abandon(mam_unprotect_stream_t *stream) {
    (void)!mam_unprotect_stream_close(stream, MAM_ABANDON, nullptr);
}
} // namespace detail

/// mam_protect_stream_t. An exception of its function ends the stream; write or close throws it.
/// The destructor abandons the stream.
class protect_stream {
  public:
    protect_stream(std::unique_ptr<detail::sink> sink, mam_protect_stream_t *handle) noexcept
        : sink_(std::move(sink)), handle_(handle) {}
    protect_stream(protect_stream &&) noexcept = default;
    protect_stream &operator=(protect_stream &&other) noexcept {
        handle_ = std::move(other.handle_); // its function is called until it has ended
        sink_ = std::move(other.sink_);
        return *this;
    }
    [[nodiscard]] mam_protect_stream_t *get() const noexcept { return handle_.get(); }
    /// mam_protect_stream_write
    void write(bytes data) {
        detail::sink::check(sink_.get(), mam_protect_stream_write(get(), data.data(), data.size()));
    }
    /// mam_protect_stream_close
    void close() {
        const mam_status status = mam_protect_stream_close(get(), 0);
        if (status != MAM_ERR_DEADLOCK) (void)handle_.release();
        detail::sink::check(sink_.get(), status);
    }
    /// mam_protect_stream_close with MAM_ABANDON
    void abandon() noexcept { handle_.reset(); }

  private:
    std::unique_ptr<detail::sink> sink_;
    detail::owner<mam_protect_stream_t, detail::abandon> handle_;
};

/// mam_unprotect_stream_t; as protect_stream.
class unprotect_stream {
  public:
    unprotect_stream(std::unique_ptr<detail::sink> sink, mam_unprotect_stream_t *handle) noexcept
        : sink_(std::move(sink)), handle_(handle) {}
    unprotect_stream(unprotect_stream &&) noexcept = default;
    unprotect_stream &operator=(unprotect_stream &&other) noexcept {
        handle_ = std::move(other.handle_);
        sink_ = std::move(other.sink_);
        return *this;
    }
    [[nodiscard]] mam_unprotect_stream_t *get() const noexcept { return handle_.get(); }
    /// mam_unprotect_stream_write
    void write(bytes data) {
        detail::sink::check(
            sink_.get(), mam_unprotect_stream_write(get(), data.data(), data.size()));
    }
    /// mam_unprotect_stream_close; whether the input was protected.
    bool close() {
        mam_bool was_protected = 0;
        const mam_status status = mam_unprotect_stream_close(get(), 0, &was_protected);
        if (status != MAM_ERR_DEADLOCK) (void)handle_.release();
        detail::sink::check(sink_.get(), status);
        return was_protected != 0;
    }
    /// mam_unprotect_stream_close with MAM_ABANDON
    void abandon() noexcept { handle_.reset(); }

  private:
    std::unique_ptr<detail::sink> sink_;
    detail::owner<mam_unprotect_stream_t, detail::abandon> handle_;
};

/// mam_t. Functions that are set here live as long as the session needs them; what they throw is
/// dropped.
class session {
  public:
    using delegate = std::function<void(const question &, std::string_view question_json)>;
    using log = std::function<void(std::int32_t level, std::string_view message)>;
    using telemetry = std::function<void(std::string_view event_json)>;

    session() = default;
    /// mam_open
    explicit session(text settings_json)
        : handle_(detail::value_of<mam_t *>(
            [&](mam_t **put) { return mam_open(settings_json.get(), put); })) {}
    /// Takes over a session of C.
    explicit session(mam_t *handle) noexcept : handle_(handle) {}
    session(session &&other) noexcept
        : handle_(std::exchange(other.handle_, nullptr)), functions_(std::move(other.functions_)) {}
    session &operator=(session &&other) noexcept {
        std::swap(handle_, other.handle_);
        functions_.swap(other.functions_);
        return *this;
    }
    /// mam_close. From a callback of its own it cannot be closed: it stays open.
    ~session() {
        if (handle_ != nullptr && mam_close(handle_) == MAM_ERR_DEADLOCK)
            (void)functions_.release();
    }
    [[nodiscard]] mam_t *get() const noexcept { return handle_; }
    explicit operator bool() const noexcept { return handle_ != nullptr; }
    /// mam_close
    void close() {
        detail::check(mam_close(handle_));
        handle_ = nullptr;
        functions_.reset();
    }
    /// mam_set_delegate; an empty function is nobody.
    void set_delegate(delegate function) {
        set(functions().delegate, std::move(function), [this](void *slot) {
            return mam_set_delegate(handle_, slot == nullptr ? nullptr : call_delegate, slot);
        });
    }
    /// mam_set_log; an empty function is nobody.
    void set_log(std::int32_t level, log function) {
        set(functions().log, std::move(function), [this, level](void *slot) {
            return mam_set_log(handle_, level, slot == nullptr ? nullptr : call_log, slot);
        });
    }
    /// mam_set_telemetry; an empty function is nobody.
    void set_telemetry(std::int32_t level, telemetry function) {
        set(functions().telemetry, std::move(function), [this, level](void *slot) {
            return mam_set_telemetry(
                handle_, level, slot == nullptr ? nullptr : call_telemetry, slot);
        });
    }
    /// mam_event_next; nothing where none came in time.
    [[nodiscard]] std::optional<std::string> event_next(std::int32_t timeout_ms) const {
        char *json = nullptr;
        const mam_status status = mam_event_next(handle_, timeout_ms, &json);
        if (status == MAM_ERR_TIMEOUT) return std::nullopt;
        return detail::string_of([&](char **put) {
            *put = json;
            return status;
        });
    }
    /// mam_event_fd
    [[nodiscard]] int event_fd() const {
        const int descriptor = mam_event_fd(handle_);
        if (descriptor < 0) detail::fail(mam_last_status());
        return descriptor;
    }
    /// mam_run_as; throws what the function throws.
    void run_as(text account, const std::function<void()> &function) const {
        detail::run state{function, nullptr};
        state.finish(mam_run_as(handle_, account.get(), detail::run::call, &state));
    }
    /// mam_protect_stream_open
    [[nodiscard]] protect_stream protect_stream_open(
        text account, std::uint32_t flags, std::function<void(bytes)> function) const {
        auto sink = std::make_unique<detail::sink>(std::move(function));
        auto *stream = detail::value_of<mam_protect_stream_t *>([&](mam_protect_stream_t **put) {
            return mam_protect_stream_open(
                handle_, account.get(), flags, detail::sink::call, sink.get(), put);
        });
        return {std::move(sink), stream};
    }
    /// mam_unprotect_stream_open
    [[nodiscard]] unprotect_stream unprotect_stream_open(
        std::uint32_t flags, std::function<void(bytes)> function) const {
        auto sink = std::make_unique<detail::sink>(std::move(function));
        auto *stream =
            detail::value_of<mam_unprotect_stream_t *>([&](mam_unprotect_stream_t **put) {
                return mam_unprotect_stream_open(
                    handle_, flags, detail::sink::call, sink.get(), put);
            });
        return {std::move(sink), stream};
    }
    /// mam_interrupt
    void interrupt() const { detail::check(mam_interrupt(get())); }
    /// mam_settings
    [[nodiscard]] std::string settings() const {
        return detail::string_of([&](char **put) { return mam_settings(get(), put); });
    }
    /// mam_set_override
    void set_override(text key, text value_json) const {
        detail::check(mam_set_override(get(), key.get(), value_json.get()));
    }
    /// mam_set_device
    void set_device(text device_json) const {
        detail::check(mam_set_device(get(), device_json.get()));
    }
    /// mam_answer
    void answer(std::int64_t id, text answer_json) const {
        detail::check(mam_answer(get(), id, answer_json.get()));
    }
    /// mam_answer_secret
    void answer_secret(std::int64_t id, bytes secret) const {
        detail::check(mam_answer_secret(get(), id, secret.data(), secret.size()));
    }
    /// mam_register_and_enroll
    std::int64_t register_and_enroll(text account_json) const {
        return detail::value_of<std::int64_t>([&](std::int64_t *put) {
            return mam_register_and_enroll(get(), account_json.get(), put);
        });
    }
    /// mam_login_and_enroll
    std::int64_t login_and_enroll(text account = nullptr) const {
        return detail::value_of<std::int64_t>(
            [&](std::int64_t *put) { return mam_login_and_enroll(get(), account.get(), put); });
    }
    /// mam_register_account
    void register_account(text account) const {
        detail::check(mam_register_account(get(), account.get()));
    }
    /// mam_known_accounts
    [[nodiscard]] std::string known_accounts() const {
        return detail::string_of([&](char **put) { return mam_known_accounts(get(), put); });
    }
    /// mam_check_name
    void check_name(text account) const { detail::check(mam_check_name(get(), account.get())); }
    /// mam_registered_account
    [[nodiscard]] std::string registered_account(text account) const {
        return detail::string_of(
            [&](char **put) { return mam_registered_account(get(), account.get(), put); });
    }
    /// mam_former_account
    [[nodiscard]] std::string former_account(text account) const {
        return detail::string_of(
            [&](char **put) { return mam_former_account(get(), account.get(), put); });
    }
    /// mam_deregister_and_unenroll
    std::int64_t deregister_and_unenroll(text account, bool wipe) const {
        return detail::value_of<std::int64_t>([&](std::int64_t *put) {
            return mam_deregister_and_unenroll(get(), account.get(), wipe ? 1 : 0, put);
        });
    }
    /// mam_check_in
    std::int64_t check_in(text account = nullptr) const {
        return detail::value_of<std::int64_t>(
            [&](std::int64_t *put) { return mam_check_in(get(), account.get(), put); });
    }
    /// mam_forget_authority
    void forget_authority() const { detail::check(mam_forget_authority(get())); }
    /// mam_wait
    [[nodiscard]] std::string wait(std::int64_t op, std::int32_t timeout_ms) const {
        return detail::string_of([&](char **put) { return mam_wait(get(), op, timeout_ms, put); });
    }
    /// mam_run_due
    void run_due() const { detail::check(mam_run_due(get())); }
    /// mam_registered_accounts
    [[nodiscard]] std::string registered_accounts() const {
        return detail::string_of([&](char **put) { return mam_registered_accounts(get(), put); });
    }
    /// mam_enrolled_accounts
    [[nodiscard]] std::string enrolled_accounts() const {
        return detail::string_of([&](char **put) { return mam_enrolled_accounts(get(), put); });
    }
    /// mam_primary_account
    [[nodiscard]] std::string primary_account() const {
        return detail::string_of([&](char **put) { return mam_primary_account(get(), put); });
    }
    /// mam_allowed_accounts
    [[nodiscard]] std::string allowed_accounts() const {
        return detail::string_of([&](char **put) { return mam_allowed_accounts(get(), put); });
    }
    /// mam_mdm_account
    [[nodiscard]] std::string mdm_account() const {
        return detail::string_of([&](char **put) { return mam_mdm_account(get(), put); });
    }
    /// mam_set_process_identity
    void set_process_identity(text account) const {
        detail::check(mam_set_process_identity(get(), account.get()));
    }
    /// mam_process_identity
    [[nodiscard]] std::string process_identity() const {
        return detail::string_of([&](char **put) { return mam_process_identity(get(), put); });
    }
    /// mam_set_ui_identity
    std::int64_t set_ui_identity(text window, text identities_json) const {
        return detail::value_of<std::int64_t>([&](std::int64_t *put) {
            return mam_set_ui_identity(get(), window.get(), identities_json.get(), put);
        });
    }
    /// mam_open_url
    std::int64_t open_url(text window, text account, text url) const {
        return detail::value_of<std::int64_t>([&](std::int64_t *put) {
            return mam_open_url(get(), window.get(), account.get(), url.get(), put);
        });
    }
    /// mam_ui_identity
    [[nodiscard]] std::string ui_identity(text window = nullptr) const {
        return detail::string_of(
            [&](char **put) { return mam_ui_identity(get(), window.get(), put); });
    }
    /// mam_push_thread_identity
    void push_thread_identity(text account) const {
        detail::check(mam_push_thread_identity(get(), account.get()));
    }
    /// mam_pop_thread_identity
    void pop_thread_identity() const { detail::check(mam_pop_thread_identity(get())); }
    /// mam_identity_capture
    [[nodiscard]] identity identity_capture() const {
        return identity(detail::value_of<mam_identity_t *>(
            [&](mam_identity_t **put) { return mam_identity_capture(get(), put); }));
    }
    /// mam_effective_identity
    [[nodiscard]] std::string effective_identity(std::int32_t task, text window = nullptr) const {
        return detail::string_of(
            [&](char **put) { return mam_effective_identity(get(), task, window.get(), put); });
    }
    /// mam_is_account_managed
    [[nodiscard]] bool is_account_managed(text account) const {
        return mam_is_account_managed(get(), account.get()) != 0;
    }
    /// mam_is_management_enabled
    [[nodiscard]] bool is_management_enabled() const noexcept {
        return mam_is_management_enabled(get()) != 0;
    }
    /// mam_identity_equal
    [[nodiscard]] bool identity_equal(text account, text other) const {
        return mam_identity_equal(get(), account.get(), other.get()) != 0;
    }
    /// mam_blocked_accounts
    [[nodiscard]] std::string blocked_accounts() const {
        return detail::string_of([&](char **put) { return mam_blocked_accounts(get(), put); });
    }
    /// mam_blocked_reason
    [[nodiscard]] std::int32_t blocked_reason(text account) const {
        return detail::value_of<std::int32_t>(
            [&](std::int32_t *put) { return mam_blocked_reason(get(), account.get(), put); });
    }
    /// mam_policy_for_account
    [[nodiscard]] policy policy_for_account(text account) const {
        return policy(detail::value_of<mam_policy_t *>(
            [&](mam_policy_t **put) { return mam_policy_for_account(get(), account.get(), put); }));
    }
    /// mam_policy_for_accounts
    [[nodiscard]] policy policy_for_accounts(text accounts_json) const {
        return policy(detail::value_of<mam_policy_t *>([&](mam_policy_t **put) {
            return mam_policy_for_accounts(get(), accounts_json.get(), put);
        }));
    }
    /// mam_policy_current
    [[nodiscard]] policy policy_current(text window = nullptr) const {
        return policy(detail::value_of<mam_policy_t *>(
            [&](mam_policy_t **put) { return mam_policy_current(get(), window.get(), put); }));
    }
    /// mam_policy_source
    [[nodiscard]] std::int32_t policy_source() const {
        return detail::value_of<std::int32_t>(
            [&](std::int32_t *put) { return mam_policy_source(get(), put); });
    }
    /// mam_managed_apps
    [[nodiscard]] std::string managed_apps() const {
        return detail::string_of([&](char **put) { return mam_managed_apps(get(), put); });
    }
    /// mam_managed_app
    [[nodiscard]] std::string managed_app(text app_json) const {
        return detail::string_of(
            [&](char **put) { return mam_managed_app(get(), app_json.get(), put); });
    }
    /// mam_policy_check
    [[nodiscard]] std::string policy_check(text request_json) const {
        return detail::string_of(
            [&](char **put) { return mam_policy_check(get(), request_json.get(), put); });
    }
    /// mam_policy_decide
    [[nodiscard]] decision policy_decide(text request_json) const {
        return decision(detail::value_of<mam_decision_t *>([&](mam_decision_t **put) {
            return mam_policy_decide(get(), request_json.get(), put);
        }));
    }
    /// mam_launch
    std::int64_t launch() const {
        return detail::value_of<std::int64_t>(
            [&](std::int64_t *put) { return mam_launch(get(), put); });
    }
    /// mam_pause
    void pause() const { detail::check(mam_pause(get())); }
    /// mam_resume
    std::int64_t resume() const {
        return detail::value_of<std::int64_t>(
            [&](std::int64_t *put) { return mam_resume(get(), put); });
    }
    /// mam_conditional_launch
    [[nodiscard]] std::string conditional_launch(text account) const {
        return detail::string_of(
            [&](char **put) { return mam_conditional_launch(get(), account.get(), put); });
    }
    /// mam_report_device_health
    void report_device_health(text health_json) const {
        detail::check(mam_report_device_health(get(), health_json.get()));
    }
    /// mam_report_screen_lock
    void report_screen_lock(std::int32_t state) const {
        detail::check(mam_report_screen_lock(get(), state));
    }
    /// mam_pin_status
    [[nodiscard]] std::string pin_status(text account) const {
        return detail::string_of(
            [&](char **put) { return mam_pin_status(get(), account.get(), put); });
    }
    /// mam_pin_set
    void pin_set(text account, bytes old, bytes new_pin) const {
        detail::check(mam_pin_set(
            get(), account.get(), old.data(), old.size(), new_pin.data(), new_pin.size()));
    }
    /// mam_pin_verify
    void pin_verify(text account, bytes pin) const {
        detail::check(mam_pin_verify(get(), account.get(), pin.data(), pin.size()));
    }
    /// mam_pin_reset
    std::int64_t pin_reset(text account) const {
        return detail::value_of<std::int64_t>(
            [&](std::int64_t *put) { return mam_pin_reset(get(), account.get(), put); });
    }
    /// mam_app_config
    [[nodiscard]] mam::app_config app_config(text identities_json) const {
        return mam::app_config(detail::value_of<mam_app_config_t *>([&](mam_app_config_t **put) {
            return mam_app_config(get(), identities_json.get(), put);
        }));
    }
    /// mam_protect_into
    [[nodiscard]] std::size_t protect_into(text account, bytes data, mutable_bytes out) const {
        return detail::value_of<std::size_t>([&](std::size_t *put) {
            return mam_protect_into(
                get(), account.get(), data.data(), data.size(), out.data(), out.size(), put);
        });
    }
    /// mam_protect
    [[nodiscard]] buffer protect(text account, bytes data) const {
        return buffer(detail::value_of<mam_buffer>([&](mam_buffer *put) {
            return mam_protect(get(), account.get(), data.data(), data.size(), put);
        }));
    }
    /// mam_unprotect_into
    [[nodiscard]] std::size_t unprotect_into(
        bytes data, std::uint32_t flags, mutable_bytes out, bool *was_protected = nullptr) const {
        detail::flag flag(was_protected);
        return detail::value_of<std::size_t>([&](std::size_t *put) {
            return mam_unprotect_into(
                get(), data.data(), data.size(), flags, out.data(), out.size(), put, flag.put());
        });
    }
    /// mam_unprotect
    [[nodiscard]] buffer unprotect(
        bytes data, std::uint32_t flags, bool *was_protected = nullptr) const {
        detail::flag flag(was_protected);
        return buffer(detail::value_of<mam_buffer>([&](mam_buffer *put) {
            return mam_unprotect(get(), data.data(), data.size(), flags, put, flag.put());
        }));
    }
    /// mam_protect_string
    [[nodiscard]] std::string protect_string(text account, text text) const {
        return detail::string_of(
            [&](char **put) { return mam_protect_string(get(), account.get(), text.get(), put); });
    }
    /// mam_unprotect_string
    [[nodiscard]] std::string unprotect_string(
        text protected_text, std::uint32_t flags, bool *was_protected = nullptr) const {
        detail::flag flag(was_protected);
        return detail::string_of([&](char **put) {
            return mam_unprotect_string(get(), protected_text.get(), flags, put, flag.put());
        });
    }
    /// mam_protection_info
    [[nodiscard]] std::string protection_info(bytes data) const {
        return detail::string_of(
            [&](char **put) { return mam_protection_info(get(), data.data(), data.size(), put); });
    }
    /// mam_protection_info_prefix
    [[nodiscard]] std::string protection_info_prefix(bytes data) const {
        return detail::string_of([&](char **put) {
            return mam_protection_info_prefix(get(), data.data(), data.size(), put);
        });
    }
    /// mam_protection_info_string
    [[nodiscard]] std::string protection_info_string(text protected_text) const {
        return detail::string_of([&](char **put) {
            return mam_protection_info_string(get(), protected_text.get(), put);
        });
    }
    /// mam_rotate_keys
    void rotate_keys(text account) const { detail::check(mam_rotate_keys(get(), account.get())); }
    /// mam_file_encrypt
    void file_encrypt(text path, text account) const {
        detail::check(mam_file_encrypt(get(), path.get(), account.get()));
    }
    /// mam_file_decrypt
    void file_decrypt(text path) const { detail::check(mam_file_decrypt(get(), path.get())); }
    /// mam_file_decrypt_copy
    void file_decrypt_copy(text path, text target) const {
        detail::check(mam_file_decrypt_copy(get(), path.get(), target.get()));
    }
    /// mam_file_is_encrypted
    [[nodiscard]] bool file_is_encrypted(text path) const {
        return detail::value_of<mam_bool>(
                   [&](mam_bool *put) { return mam_file_is_encrypted(get(), path.get(), put); })
            != 0;
    }
    /// mam_file_open
    [[nodiscard]] file file_open(text path, std::int32_t flags) const {
        return file(detail::value_of<mam_file_t *>(
            [&](mam_file_t **put) { return mam_file_open(get(), path.get(), flags, put); }));
    }
    /// mam_file_create
    [[nodiscard]] file file_create(
        text path, std::int32_t flags, std::int32_t mode, text account) const {
        return file(detail::value_of<mam_file_t *>([&](mam_file_t **put) {
            return mam_file_create(get(), path.get(), flags, mode, account.get(), put);
        }));
    }
    /// mam_file_protect
    void file_protect(text path, text account) const {
        detail::check(mam_file_protect(get(), path.get(), account.get()));
    }
    /// mam_file_verify_and_protect
    void file_verify_and_protect(text path, text account) const {
        detail::check(mam_file_verify_and_protect(get(), path.get(), account.get()));
    }
    /// mam_file_unmanage
    void file_unmanage(text path, text account) const {
        detail::check(mam_file_unmanage(get(), path.get(), account.get()));
    }
    /// mam_file_info
    [[nodiscard]] std::string file_info(text path) const {
        return detail::string_of([&](char **put) { return mam_file_info(get(), path.get(), put); });
    }
    /// mam_file_export
    void file_export(text path, mam_save_location location, text account, text target_path) const {
        detail::check(
            mam_file_export(get(), path.get(), location, account.get(), target_path.get()));
    }
    /// mam_file_import
    void file_import(text path, text account, text target_path) const {
        detail::check(mam_file_import(get(), path.get(), account.get(), target_path.get()));
    }
    /// mam_file_reprotect
    [[nodiscard]] bool file_reprotect(text path) const {
        return detail::value_of<mam_bool>(
                   [&](mam_bool *put) { return mam_file_reprotect(get(), path.get(), put); })
            != 0;
    }
    /// mam_sqlite_vfs_register
    void sqlite_vfs_register(text name, text account) const {
        detail::check(mam_sqlite_vfs_register(get(), name.get(), account.get()));
    }
    /// mam_sqlite_encrypt
    void sqlite_encrypt(text path, text account) const {
        detail::check(mam_sqlite_encrypt(get(), path.get(), account.get()));
    }
    /// mam_sqlite_decrypt
    void sqlite_decrypt(text path, text account) const {
        detail::check(mam_sqlite_decrypt(get(), path.get(), account.get()));
    }
    /// mam_wipe_account
    std::int64_t wipe_account(text account) const {
        return detail::value_of<std::int64_t>(
            [&](std::int64_t *put) { return mam_wipe_account(get(), account.get(), put); });
    }
    /// mam_log_paths
    [[nodiscard]] std::string log_paths() const {
        return detail::string_of([&](char **put) { return mam_log_paths(get(), put); });
    }
    /// mam_diagnostics
    [[nodiscard]] std::string diagnostics() const {
        return detail::string_of([&](char **put) { return mam_diagnostics(get(), put); });
    }
    /// mam_purge
    [[nodiscard]] std::string purge() const {
        return detail::string_of([&](char **put) { return mam_purge(get(), put); });
    }

  private:
    struct callbacks {
        detail::slot<void(const question &, std::string_view)> delegate;
        detail::slot<void(std::int32_t, std::string_view)> log;
        detail::slot<void(std::string_view)> telemetry;
    };
    static void call_delegate(
        void *slot, mam_question_t *handle, const char *question_json) noexcept {
        static_cast<decltype(callbacks::delegate) *>(slot)->call(
            question(handle), std::string_view(question_json));
    }
    static void call_log(void *slot, std::int32_t level, const char *message) noexcept {
        static_cast<decltype(callbacks::log) *>(slot)->call(level, std::string_view(message));
    }
    static void call_telemetry(void *slot, const char *event_json) noexcept {
        static_cast<decltype(callbacks::telemetry) *>(slot)->call(std::string_view(event_json));
    }
    callbacks &functions() {
        if (!functions_) functions_ = std::make_unique<callbacks>();
        return *functions_;
    }
    /// The former function counts again where C refuses the new one.
    template <typename Slot, typename Function, typename Set>
    static void set(Slot &slot, Function function, Set set_in_c) {
        const bool is_empty = !function;
        auto former =
            slot.swap(is_empty ? nullptr : std::make_shared<const Function>(std::move(function)));
        const mam_status status = set_in_c(is_empty ? nullptr : &slot);
        if (status == MAM_OK) return;
        slot.swap(std::move(former));
        detail::fail(status);
    }
    mam_t *handle_ = nullptr;
    std::unique_ptr<callbacks> functions_;
};

/// mam_abi_version
[[nodiscard]] inline std::int32_t abi_version() noexcept { return mam_abi_version(); }
/// mam_protect_bound
[[nodiscard]] inline std::size_t protect_bound(std::size_t length) noexcept {
    return mam_protect_bound(length);
}
/// mam_message
[[nodiscard]] inline std::string message(text key, text language) {
    return detail::string_of(
        [&](char **put) { return mam_message(key.get(), language.get(), put); });
}
/// mam_admin
[[nodiscard]] inline std::string admin(text path, text request_json) {
    return detail::string_of(
        [&](char **put) { return mam_admin(path.get(), request_json.get(), put); });
}
/// mam_policy_properties
[[nodiscard]] inline std::string policy_properties() {
    return detail::string_of([&](char **put) { return mam_policy_properties(put); });
}
/// mam_policy_lint
[[nodiscard]] inline std::string policy_lint(text policy_json) {
    return detail::string_of([&](char **put) { return mam_policy_lint(policy_json.get(), put); });
}
/// mam_policy_diff
[[nodiscard]] inline std::string policy_diff(text before_json, text after_json) {
    return detail::string_of(
        [&](char **put) { return mam_policy_diff(before_json.get(), after_json.get(), put); });
}
/// mam_policy_explain
[[nodiscard]] inline std::string policy_explain(text path, text request_json) {
    return detail::string_of(
        [&](char **put) { return mam_policy_explain(path.get(), request_json.get(), put); });
}
/// mam_policy_simulate
[[nodiscard]] inline std::string policy_simulate(text path, text request_json) {
    return detail::string_of(
        [&](char **put) { return mam_policy_simulate(path.get(), request_json.get(), put); });
}

} // namespace mam

#endif
#endif
