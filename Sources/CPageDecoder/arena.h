#pragma once

#include <cstddef>
#include <memory>
#include <vector>

/// Room for unescaped text, in blocks that stay where they are until the next body.
class Arena {
    struct Block {
        std::unique_ptr<char[]> bytes;
        size_t size;
    };

    std::vector<Block> blocks;
    size_t used = 0; // of the last block

public:
    /// Forgets all text; the largest block stays for the next body.
    void clear() {
        if (blocks.size() > 1) blocks.erase(blocks.begin(), blocks.end() - 1);
        used = 0;
    }

    size_t size() const {
        size_t sum = 0;
        for (const Block &block : blocks) sum += block.size;
        return sum;
    }

    /// Room for `count` bytes. Throws std::bad_alloc.
    char *room(size_t count) {
        if (blocks.empty() || blocks.back().size - used < count) {
            const size_t doubled = blocks.empty() ? 4096 : 2 * blocks.back().size;
            const size_t size = count > doubled ? count : doubled;
            blocks.push_back({std::unique_ptr<char[]>(new char[size]), size});
            used = 0;
        }
        return blocks.back().bytes.get() + used;
    }

    /// Keeps what was written up to `end`.
    void keep(const char *end) { used = size_t(end - blocks.back().bytes.get()); }
};
