// page.js - draws the charts that build.php describes: horizontal bars, with enough height for their labels.

const style = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const narrow = () => window.innerWidth < 600;

// Returns a number with three significant digits.
function amount(value) {
    const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
    return value.toLocaleString("en", { maximumFractionDigits: digits });
}

function short(value) {
    const [divisor, letter] = value >= 1e6 ? [1e6, "M"] : value >= 1e3 ? [1e3, "k"] : [1, ""];
    return +(value / divisor).toPrecision(3) + letter;
}

// Splits a label into lines of about `width` characters, so that there is room for the bars.
function lines(text, width) {
    const all = [""];
    for (const word of text.split(" ")) {
        const last = all[all.length - 1];
        if (last !== "" && last.length + word.length >= width) {
            all.push(word);
        } else {
            all[all.length - 1] = last === "" ? word : last + " " + word;
        }
    }
    return all;
}

function draw(box) {
    const chart = charts[box.dataset.chart];
    const bars = chart.stacked ? 1 : chart.series.length;
    const labels = chart.labels.map(label => lines(label, narrow() ? 16 : 30));
    const tallest = Math.max(...labels.map(label => label.length));
    box.style.height = labels.length * Math.max(bars * 12 + 16, tallest * 15 + 6) + 100 + "px";
    const canvas = document.createElement("canvas");
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", chart.title + "; the same figures are in the table below");
    box.replaceChildren(canvas);
    const least = Math.min(...chart.series.flatMap(one => one.values).filter(value => value > 0));
    return new Chart(canvas, {
        type: "bar",
        data: {
            labels,
            datasets: chart.series.map(one => ({
                label: one.name,
                data: one.values,
                backgroundColor: one.colors || one.color,
                maxBarThickness: 18,
                categoryPercentage: 0.82,
                barPercentage: 0.95,
                minBarLength: 2,
            })),
        },
        options: {
            indexAxis: "y",
            animation: false,
            responsive: true,
            maintainAspectRatio: false,
            scales: {
                x: {
                    type: chart.log ? "logarithmic" : "linear",
                    stacked: Boolean(chart.stacked),
                    beginAtZero: !chart.log,
                    min: chart.log ? 10 ** Math.floor(Math.log10(least / 2)) : undefined, // the shortest bar is seen
                    title: { display: true, text: chart.unit, color: style("--quiet") },
                    grid: { color: style("--grid") },
                    ticks: {
                        color: style("--quiet"),
                        maxRotation: 0,
                        autoSkipPadding: 8,
                        callback: value => (chart.log && !Number.isInteger(Math.log10(value)) ? null : short(value)),
                    },
                },
                y: {
                    stacked: Boolean(chart.stacked),
                    grid: { display: false },
                    ticks: { color: style("--text"), autoSkip: false, font: { size: 12 } },
                },
            },
            plugins: {
                legend: {
                    display: chart.series.length > 1,
                    position: "top",
                    align: "start",
                    labels: { color: style("--text"), boxWidth: 12, boxHeight: 12, padding: 8 },
                },
                tooltip: {
                    callbacks: {
                        title: items => items[0].label.replaceAll(",", " "),
                        label: item => " " + item.dataset.label + ": " + amount(item.parsed.x) + " " + chart.unit,
                    },
                },
            },
        },
    });
}

let drawn = [];

function drawAll() {
    drawn.forEach(chart => chart.destroy());
    drawn = [...document.querySelectorAll("[data-chart]")].map(draw);
}

drawAll();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
matchMedia("(max-width: 599px)").addEventListener("change", drawAll);
