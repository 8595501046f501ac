// Finds places of the manual. index.js has them: [title, place, first words of
// the text, its other words].

const MOST = 12;

// How well a place answers a word; 0: not at all. A title says more than a
// text, a whole word more than a part of one.
function rankOf(page, word) {
    const title = page[0].toLowerCase();
    const at = title.indexOf(word);

    if (title === word) return 100;
    if (at === 0) return 30;
    if (at > 0) return /[a-z0-9]/.test(title[at - 1]) ? 10 : 20;
    if (page[2].toLowerCase().includes(word)) return 3;
    return page[3].includes(" " + word) ? 1 : 0;
}

// A page by task is about what people mean by the words.
function rank(page, words) {
    let sum = page[0].toLowerCase() === words.join(" ") ? 200 : 0;

    for (const word of words) {
        const one = rankOf(page, word);

        if (one === 0) return 0;
        sum += one;
    }
    return page[1].startsWith("topics.") ? sum * 2 + 20 : sum;
}

// The places that answer best: [rank, place].
function best(words) {
    return pages.map(page => [rank(page, words), page])
        .filter(one => one[0] > 0)
        .sort((a, b) => b[0] - a[0])
        .slice(0, MOST);
}

function wordsOf(text) {
    return text.toLowerCase().split(/\s+/).filter(Boolean);
}

function itemOf(page) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    const text = document.createElement("small");

    link.href = page[1];
    link.textContent = page[0];
    text.textContent = page[2];
    link.append(text);
    item.append(link);
    return item;
}

function nothing() {
    const item = document.createElement("li");

    item.textContent = "Nothing has all of these words.";
    return item;
}

const input = document.getElementById("search");
const list = document.getElementById("found");

input.addEventListener("input", () => {
    const words = wordsOf(input.value);
    const found = best(words);

    list.hidden = words.length === 0;
    list.replaceChildren(...found.map(([, page]) => itemOf(page)));
    if (found.length === 0) list.append(nothing());
});

input.form.addEventListener("submit", event => {
    event.preventDefault();
    list.querySelector("a")?.click();
});

document.addEventListener("keydown", event => {
    if (event.key === "Escape") list.hidden = true;
    if (event.key === "/" && document.activeElement !== input) {
        event.preventDefault();
        input.focus();
    }
});

list.addEventListener("click", () => { list.hidden = true; });
