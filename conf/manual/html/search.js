// Finds headings of the manual. index.js has them: [title, place, first words].

const input = document.getElementById("search");
const list = document.getElementById("found");
const MOST = 12;

// How well a page answers; 0: not at all. A title says more than its text.
function rank(page, words) {
    const title = page[0].toLowerCase();
    const text = page[2].toLowerCase();
    let sum = 0;

    for (const word of words) {
        if (title === word) sum += 100;
        else if (title.startsWith(word)) sum += 20;
        else if (title.includes(word)) sum += 10;
        else if (text.includes(word)) sum += 1;
        else return 0;
    }
    return sum;
}

function show(words) {
    const best = pages.map(page => [rank(page, words), page])
        .filter(one => one[0] > 0)
        .sort((a, b) => b[0] - a[0])
        .slice(0, MOST);

    list.replaceChildren(...best.map(([, page]) => {
        const item = document.createElement("li");
        const link = document.createElement("a");
        const text = document.createElement("small");

        link.href = page[1];
        link.textContent = page[0];
        text.textContent = page[2];
        link.append(text);
        item.append(link);
        return item;
    }));
    list.hidden = best.length === 0;
}

input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);

    if (words.length === 0) list.hidden = true;
    else show(words);
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
