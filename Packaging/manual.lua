-- For pandoc: makes a manual page of a page of Docs. A table becomes a list, because its columns would be too narrow on a
-- terminal; a link becomes its text, because the pages that it leads to are not installed under that name.

-- The title of the page is its name already.
local function withoutTitle(blocks)
    if #blocks > 0 and blocks[1].t == "Header" and blocks[1].level == 1 then blocks:remove(1) end
    return blocks
end

function Code(code)
    return pandoc.Strong(code.text)
end

function Link(link)
    return link.content
end

function Header(header)
    header.content = pandoc.walk_block(header, { Strong = function(strong) return strong.content end }).content
    return header
end

local function inlines(cell)
    return pandoc.utils.blocks_to_inlines(cell)
end

function Table(wide)
    local simple = pandoc.utils.to_simple_table(wide)
    local entries = {}
    for _, row in ipairs(simple.rows) do
        local text = pandoc.List()
        for column = 2, #row do
            local cell = inlines(row[column])
            if #cell > 0 then
                if column > 2 then text:extend({ pandoc.Str("; ") }) end
                if #row > 2 then
                    text:extend({ pandoc.Emph(inlines(simple.headers[column])), pandoc.Str(": ") })
                end
                text:extend(cell)
            end
        end
        table.insert(entries, { inlines(row[1]), { { pandoc.Plain(text) } } })
    end
    return pandoc.DefinitionList(entries)
end

-- Sections of the page are its chapters, and so on down.
local function raise(block)
    if block.t == "Header" then block.level = block.level - 1 end
    return block
end

function Pandoc(document)
    document.blocks = withoutTitle(document.blocks)
    document.blocks = document.blocks:map(raise)
    return document
end
