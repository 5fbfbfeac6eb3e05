#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

/// As `std::vector` of plain values, but it grows with `realloc`, which moves large blocks without a second copy.
template <class Value> class Growing {
    Value *values = nullptr;
    size_t count = 0, room = 0;

public:
    Growing() = default;
    Growing(const Growing &) = delete;
    Growing &operator=(const Growing &) = delete;
    ~Growing() { free(values); }

    Value *data() { return values; }
    size_t size() const { return count; }
    size_t capacity() const { return room; }
    Value &operator[](size_t index) { return values[index]; }
    const Value *begin() const { return values; }
    const Value *end() const { return values + count; }
    void clear() { count = 0; }

    /// Makes it that long; what is new is zero. Throws std::bad_alloc.
    void resize(size_t length) {
        if (length > room) {
            const size_t larger = length > 2 * room ? length : 2 * room;
            void *const grown = realloc(static_cast<void *>(values), larger * sizeof(Value));
            if (!grown) throw std::bad_alloc();
            values = static_cast<Value *>(grown);
            room = larger;
        }
        if (length > count) memset(static_cast<void *>(values + count), 0, (length - count) * sizeof(Value));
        count = length;
    }

    /// Throws std::bad_alloc.
    void push_back(Value value) {
        resize(count + 1);
        values[count - 1] = value;
    }
};
