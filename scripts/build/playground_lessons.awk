# Takes the commands of lanes and the questions from a page of docs/, as HTML for the playground:
#   awk -v part=examples|questions -f scripts/build/playground_lessons.awk docs/banks.md
# A link's fragment names the options of the command, so that the page can set them.

function escape(text) {
    gsub(/&/, "\\&amp;", text)
    gsub(/</, "\\&lt;", text)
    gsub(/>/, "\\&gt;", text)
    gsub(/"/, "\\&quot;", text)
    return text
}

# Markdown within a paragraph.
function inline(text,    out) {
    text = escape(text)
    while (match(text, /`[^`]*`|\*\*[^*]*\*\*|\*[^* ][^*]*\*|\[[^]]*\]\([^)]*\)/)) {
        out = out substr(text, 1, RSTART - 1) mark(substr(text, RSTART, RLENGTH))
        text = substr(text, RSTART + RLENGTH)
    }
    return out text
}

function mark(word) {
    if (word ~ /^`/)
        return "<code>" substr(word, 2, length(word) - 2) "</code>"
    if (word ~ /^\*\*/)
        return "<strong>" substr(word, 3, length(word) - 4) "</strong>"
    if (word ~ /^\*/)
        return "<em>" substr(word, 2, length(word) - 2) "</em>"
    sub(/^\[/, "", word)
    sub(/\].*/, "", word)
    return word
}

function fragment(command) {
    sub(/^build\/lanes */, "", command)
    gsub(/ *--/, "\\&", command)
    gsub(/ /, "=", command)
    sub(/^&/, "#", command)
    return escape(command)
}

function flush_paragraph() {
    if (paragraph != "")
        print "<p>" inline(paragraph) "</p>"
    paragraph = ""
}

function flush_code() {
    if (code != "")
        print "<pre tabindex=\"0\">" code "</pre>"
    code = ""
    blank = 0
}

function flush_all() {
    flush_paragraph()
    flush_code()
}

function code_line(line) {
    code = code (code == "" ? "" : blank ? "\n\n" : "\n") escape(line)
    blank = 0
    if (line ~ /^build\/lanes / && line !~ / --csv /)
        code = code "  <a class=\"show\" href=\"" fragment(line) "\">Show</a>"
}

/^# / {
    title = substr($0, 3)
    next
}

/^##+ / {
    heading = $0
    sub(/^#+ /, "", heading)
    in_questions = heading == "Questions"
    if (in_questions && open_group)
        print "</optgroup>"
    if (in_questions && part == "questions")
        print "<h3>" escape(title) "</h3>"
}

part == "examples" && !in_questions && /^    build\/lanes / {
    command = substr($0, 5)
    if (heading != group) {
        if (open_group)
            print "</optgroup>"
        print "<optgroup label=\"" escape(heading) "\">"
        group = heading
        open_group = 1
    }
    options = command
    sub(/^build\/lanes --gpu /, "", options)
    print "<option value=\"" fragment(command) "\">" escape(options) "</option>"
}

part != "questions" || !in_questions || /^## / { next }

/^Answer each question before/ { next }

/^What each variant of `[a-z]*` does/ { flush_all(); exit }

/^[0-9]+\. / {
    flush_all()
    if (!asked)
        print "<ol>"
    else
        print "</li>"
    asked = 1
    print "<li>"
    sub(/^[0-9]+\. /, "")
}

/^<\/?(details|summary)>/ {
    flush_all()
    print
    next
}

/^    / && paragraph == "" {
    code_line(substr($0, 5))
    next
}

/^ *$/ {
    flush_paragraph()
    blank = 1
    next
}

{
    flush_code()
    sub(/^ +/, "")
    paragraph = paragraph (paragraph == "" ? "" : " ") $0
}

END {
    if (part == "questions") {
        flush_all()
        print "</li>"
        print "</ol>"
    }
}
