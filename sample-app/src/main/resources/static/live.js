// Draws the server's journal, on the server's clock. The server counts the violations, not this script.

const CLIENTS = ['alice', 'bob', 'carol', 'dave'];
const SESSIONS = ['followup', 'collect', 'latest', 'interrupt'];
const SPAN = 10_000; // what most tracks show, in ms
const PHONE = 400; // px
const LEFT = 64; // px, for the names of the tracks
const RIGHT = 56; // px, where steps wait
const BETWEEN_MESSAGES = 130; // ms, much less than an answer takes
const CHART_SECONDS = 60;
const EXECUTOR = '/actuator/orderedexecutors/oneKey';
const PACKAGES = /\b(?:[a-z]\w*\.)+(?=[A-Z])/g; // in front of a class

const $ = (selector) => document.querySelector(selector);
const $$ = (selector) => [...document.querySelectorAll(selector)];

// The journal

const lanes = Object.fromEntries(['STRIPED', 'ASYNC', 'GROUPED', 'OUTPUT', 'BUSY'].map((lane) => [lane, new Map()]));
const ends = []; // when the last steps of @OrderedAsync ended
const outcomes = new Map(); // of the messages, by session
let clockDifference = 0;
let connected = false;
let lostAt = Date.now();

/** The clock stands still while there is no connection. */
const serverNow = () => (connected ? Date.now() : lostAt) + clockDifference;

function read(news) {
  clockDifference = news.now - Date.now();
  if (!connected) connect();
  news.moments.forEach(apply);
  if (news.moments.some((moment) => moment.step.lane === 'BUSY')) showOutcomes();
  $('#violations').value = news.violations;
  $('#violations-async').value = news.violationsOfAsync;
  for (const output of $$('[data-rejected]')) {
    output.value = news.rejected[output.dataset.rejected] ?? 0;
    output.parentElement.hidden = output.value === '0';
  }
}

/** The first news of a connection have all steps that are not over. */
function connect() {
  Object.values(lanes).forEach((steps) => steps.clear());
  SESSIONS.forEach((session) => outcomes.set(session, {messages: 0, answers: 0, joined: 0, dropped: 0}));
  ends.length = 0;
  connected = true;
  enable();
  eachSecond();
  showOutcomes();
  document.documentElement.dataset.connected = 'true'; // from now on, nothing is missed
}

function disconnect() {
  if (connected) lostAt = Date.now();
  connected = false;
  document.documentElement.dataset.connected = 'false';
  say('Not connected; trying again.');
  enable();
}

function apply({at, what, step: {id, lane, number, kind, keys}, tracks, inOrder}) {
  const steps = lanes[lane];
  if (!steps.has(id)) steps.set(id, {number, kind, keys, runs: []});
  const step = steps.get(id);
  const start = (run) => step.runs.push({tracks, from: at, inOrder, numbers: [number], ...run});
  const mark = (run) => start({to: at, ...run}); // is drawn as a run, although the step does not run then
  const end = (how) => {
    Object.assign(step.runs.at(-1), {to: at, ...how});
    if (lane === 'STRIPED') ends.push(at);
  };
  switch (what) {
    case 'QUEUED': step.queued = true; break;
    case 'STARTED': start(); break;
    case 'ENDED': end(); break;
    case 'FAILED': end({failed: true}); break;
    case 'STOPPED': end({stopped: true}); break;
    case 'CANCELLED': if (isWaiting(step)) mark({dropped: true}); else step.givenUp = true; break;
    case 'WRITTEN': mark({to: at + 120, written: true}); break;
    case 'REJECTED': mark({rejected: true}); break;
    case 'JOINED': {
      const first = [...steps.values()].find((other) => isRunning(other) && other.keys[0] === keys[0]);
      first?.runs.at(-1).numbers.push(number);
      steps.delete(id);
    }
  }
  const column = {QUEUED: 'messages', ENDED: 'answers', JOINED: 'joined', CANCELLED: 'dropped'}[what];
  if (lane === 'BUSY' && column) outcomes.get(keys[0])[column]++;
}

const isWaiting = (step) => step.queued && step.runs.length === 0;
const isRunning = (step) => step.runs.length > 0 && step.runs.at(-1).to === undefined;

/** Steps that have left the picture. */
function forget() {
  const before = serverNow() - SPAN - 2_000;
  for (const steps of Object.values(lanes)) {
    for (const [id, step] of steps) {
      const run = step.runs.at(-1);
      const mayRunAgain = run?.failed && !step.givenUp;
      if (run ? run.to < before && !mayRunAgain : !step.queued) steps.delete(id);
    }
  }
}

// The tracks

/** What a scene looks like, while nothing has happened yet: [number, keys, from, to, the rest of the run]. */
const EXAMPLE_NOW = 8_600;
const examples = (steps) => new Map(steps.map(([number, keys, from, to, run]) =>
  [number, {keys, runs: [{tracks: keys, from, to, inOrder: true, numbers: [number], ...run}]}]));
const ONE_KEY = [
  [1, ['alice'], 2_500, 4_900], [2, ['bob'], 2_700, 3_800], [3, ['carol'], 2_800, 5_600], [4, ['dave'], 3_000, 4_400],
  [5, ['bob'], 3_800, 6_700], [6, ['dave'], 4_400, 7_600], [7, ['alice'], 4_900, 6_500], [8, ['carol'], 5_600, 7_100],
];
const EXAMPLES = {
  STRIPED: examples(ONE_KEY),
  ASYNC: examples(ONE_KEY.map(([number, keys, from, to]) =>
    [number, keys, from - 200 * number, to - 200 * number, {inOrder: number < 5}])),
  GROUPED: examples([
    ...ONE_KEY.slice(0, 4),
    [5, ['alice', 'bob'], 4_900, 6_500], [6, ['carol', 'dave'], 5_600, 7_900], [7, ['bob'], 6_500, 8_300],
  ]),
  OUTPUT: examples([
    [1, ['thread 1'], 6_000, 7_600], [2, ['thread 2'], 6_000, 6_900],
    [3, ['thread 3'], 6_100, 7_300], [4, ['thread 2'], 6_900, 8_100],
    ...[7_600, 7_730, 7_860, 8_100].map((at, i) =>
      [5 + i, ['output'], at, at + 120, {written: true, numbers: [1 + i]}]),
  ]),
  BUSY: examples(SESSIONS.flatMap((session, i) => {
    const stopped = session === 'interrupt';
    const end = stopped ? 6_500 : 7_200;
    return [
      [2 * i, [session], 6_000, end, {numbers: [1], stopped}],
      [2 * i + 1, [session], end, end + 1_200, {numbers: {collect: [2, 3], latest: [3]}[session] ?? [2]}],
    ];
  })),
};

const style = getComputedStyle(document.documentElement); // always that of today's light or dark
const color = (name) => style.getPropertyValue(`--${name}`);

function prepared(canvas) {
  const ratio = window.devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = '12px system-ui, sans-serif';
  context.textBaseline = 'middle';
  return {context, width, height};
}

function tracksOf(lane, steps) {
  if (lane === 'BUSY') return SESSIONS;
  if (lane !== 'OUTPUT') return CLIENTS;
  const runs = [...steps.values()].flatMap((step) => step.runs).filter((run) => !run.written);
  const threads = [...new Set(runs.map((run) => run.tracks[0]))];
  return [...threads.sort((a, b) => a.localeCompare(b, 'en', {numeric: true})), 'output'];
}

/** A track that is none of a client has the color of the client at its place. */
const colorOf = (track, i) => color(CLIENTS.includes(track) ? track : CLIENTS[i % CLIENTS.length]);

function drawLane(canvas) {
  const lane = canvas.dataset.lane;
  const {context, width, height} = prepared(canvas);
  if (width === 0) return; // its scene is not shown
  const isExample = lanes[lane].size === 0;
  canvas.toggleAttribute('data-example', isExample);
  const steps = isExample ? EXAMPLES[lane] : lanes[lane];
  const tracks = tracksOf(lane, steps);
  const now = isExample ? EXAMPLE_NOW : serverNow();
  const span = Number(canvas.dataset.span ?? SPAN) * (width < PHONE ? 0.5 : 1); // or bars would be too narrow to read
  const x = (at) => LEFT + (width - LEFT - RIGHT) * (1 - (now - at) / span);
  const row = height / Math.max(tracks.length, 4);
  const bar = lane === 'BUSY' ? {top: 0.12, height: 0.5} : {top: 0.16, height: 0.68}; // with room for what is dropped
  const middle = bar.top + bar.height / 2;

  context.strokeStyle = color('line');
  tracks.forEach((track, i) => {
    const state = lane === 'STRIPED' && states.get(track);
    context.fillStyle = color('muted');
    context.fillText(track, 0, row * (i + (state ? 0.3 : middle)), LEFT - 6);
    context.fillStyle = color('bad');
    if (state) context.fillText(state, 0, row * (i + 0.7), LEFT - 6);
    context.beginPath();
    context.moveTo(LEFT, Math.round(row * (i + 1)) - 0.5);
    context.lineTo(width, Math.round(row * (i + 1)) - 0.5);
    context.stroke();
  });

  context.globalAlpha = isExample ? 0.3 : 1;
  for (const [id, step] of steps) {
    for (const run of step.runs) drawRun(context, {lane, tracks, row, bar, x, now}, id, step, run);
  }
  const waiting = [...steps.values()].filter(isWaiting).flatMap((step) => step.keys);
  tracks.forEach((track, i) => {
    const count = waiting.filter((key) => key === track).length;
    const y = row * (i + middle);
    context.fillStyle = colorOf(track, i);
    for (let dot = 0; dot < Math.min(count, 4); dot++) {
      context.beginPath();
      context.arc(width - RIGHT + 9 + dot * 8, y, 3, 0, 7);
      context.fill();
    }
    if (count > 4) context.fillText(`${count}`, width - RIGHT + 40, y, 18);
  });
  context.globalAlpha = 1;
  if (isExample) {
    const words = 'An example: press a button';
    context.fillStyle = color('panel');
    context.fillRect(LEFT, row * 1.5 - 10, context.measureText(words).width + 8, 20);
    context.fillStyle = color('text');
    context.fillText(words, LEFT + 4, row * 1.5);
  }
}

function drawRun(context, {lane, tracks, row, bar, x, now}, id, step, run) {
  const from = Math.max(x(run.from), LEFT);
  const to = x(run.to ?? now);
  if (to <= LEFT) return;
  const rows = run.tracks.map((track) => tracks.indexOf(track));
  if (run.dropped || run.rejected) {
    const words = run.dropped && context.canvas.clientWidth >= 600 ? `×${step.number}` : '×';
    const place = run.dropped ? 0.8 : 0.5; // what is dropped, under the bar that it has waited for
    context.fillStyle = color('bad');
    rows.forEach((i) => context.fillText(words, from, row * (i + place)));
    return;
  }
  const fill = run.failed ? color('bad')
    : rows.length > 1 ? color('several')
    : run.written ? color('text')
    : colorOf(run.tracks[0], rows[0]);
  const overlaps = step.kind === 'SHARED' || lane === 'ASYNC'; // one above the other, then
  const width = Math.max(to - from - 1, 2);
  const height = row * (overlaps ? 0.26 : bar.height);
  const alpha = context.globalAlpha;
  context.fillStyle = fill;
  if (rows.length > 1) { // holds all its tracks
    const first = Math.min(...rows);
    const last = Math.max(...rows);
    context.fillRect(from, row * (first + 0.5), Math.min(width, 3), row * (last - first));
    context.fillRect(Math.max(from, to - 4), row * (first + 0.5), 3, row * (last - first));
  }
  for (const i of rows) {
    const y = row * (i + (overlaps ? 0.08 + 0.29 * (id % 3) : bar.top));
    context.fillStyle = fill;
    context.globalAlpha = run.stopped ? alpha / 2 : alpha;
    context.beginPath();
    context.roundRect(from, y, width, height, 3);
    context.fill();
    context.globalAlpha = alpha;
    if (run.stopped) {
      context.fillStyle = color('bad');
      context.fillRect(Math.max(from, to - 3), y, 2, height);
    }
    if (!run.inOrder) {
      context.strokeStyle = color('bad');
      context.lineWidth = 1.5;
      context.stroke();
      context.lineWidth = 1;
    }
    if (width > 18 && !overlaps) {
      drawNumbers(context, run.numbers, {from, y, width, height},
        run.written ? 'Canvas' : run.stopped ? color('text') : '#fff');
    }
  }
}

/** A bar of several steps has a segment for each. */
function drawNumbers(context, numbers, {from, y, width, height}, fill) {
  const segment = width / numbers.length;
  numbers.forEach((number, i) => {
    const left = from + i * segment;
    context.fillStyle = color('panel');
    if (i > 0) context.fillRect(left, y, 1.5, height);
    context.fillStyle = fill;
    if (segment > 12) context.fillText(`${number}`, left + 4, y + height / 2, segment - 6);
  });
}

/** For those who do not see the picture. */
function describe(canvas) {
  const lane = canvas.dataset.lane;
  canvas.setAttribute('aria-label', tracksOf(lane, lanes[lane]).map((track) => {
    const steps = [...lanes[lane].values()];
    const running = steps.filter((step) => isRunning(step) && step.runs.at(-1).tracks.includes(track)).length;
    const waiting = steps.filter((step) => isWaiting(step) && step.keys.includes(track)).length;
    const state = lane === 'STRIPED' && states.has(track) ? `, ${states.get(track)}` : '';
    return `${track}: ${running} running, ${waiting} waiting${state}`;
  }).join('; '));
}

// What has become of the messages

function showOutcomes() {
  $('#outcomes tbody').innerHTML = [...outcomes].map(([session, outcome]) => {
    const cells = Object.values(outcome).map((number) => `<td>${number}</td>`);
    return `<tr><th scope="row">${session}</th>${cells.join('')}</tr>`;
  }).join('');
}

// The charts

const charts = {queued: [], rate: []};

function measure() {
  const now = serverNow();
  while (ends.length > 0 && ends[0] < now - 1_000) ends.shift();
  for (const [name, value] of Object.entries({queued, rate: ends.length})) {
    charts[name].push(value);
    if (charts[name].length > CHART_SECONDS) charts[name].shift();
    $(`#${name}`).value = value;
  }
}

function drawChart(canvas) {
  const values = charts[canvas.dataset.chart];
  const {context, width, height} = prepared(canvas);
  const top = Math.max(10, ...values);
  context.strokeStyle = color('accent');
  context.beginPath();
  values.forEach((value, i) => {
    const x = width * (CHART_SECONDS - values.length + i) / (CHART_SECONDS - 1);
    const y = (height - 2) * (1 - value / top) + 1;
    if (i === 0) context.moveTo(x, y); else context.lineTo(x, y);
  });
  context.stroke();
  context.fillStyle = color('muted');
  context.fillText(`${top}`, 0, 8);
}

// The buttons

function say(text) {
  $('#connection').textContent = text;
}

async function post(path, body) {
  clearExplanation();
  try {
    const json = body && {headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body)};
    const answer = await fetch(path, {method: 'POST', ...json});
    const problem = answer.ok ? undefined : await answer.json().catch(() => ({}));
    say(problem ? problem.detail ?? problem.message ?? `${path} answered ${answer.status}` : '');
  } catch {
    say('The application does not answer. Is it running?');
  }
  refresh();
}

/** Without a connection, no control can be pressed. */
function enable() {
  $$('.controls button, .controls input, .parked button').forEach((control) => { control.disabled = !connected; });
  $('#pause').textContent = states.get($('#client').value) === 'paused' ? 'Resume' : 'Pause';
}

const pause = (millis) => new Promise((done) => setTimeout(done, millis));

$$('[data-post]').forEach((button) => button.addEventListener('click', async () => {
  const path = button.dataset.post + ('client' in button.dataset ? `?client=${$('#client').value}` : '');
  for (let left = Number(button.dataset.times ?? 1); left > 0; left--) {
    await post(path);
    if (left > 1) await pause(BETWEEN_MESSAGES);
  }
}));
$('#pause').addEventListener('click', () => {
  const client = $('#client').value;
  if (states.get(client) === 'paused') post(`${EXECUTOR}/${client}`, {action: 'resume'});
  else post(`/live/pause?client=${client}`);
});
$('#transfer').addEventListener('click', () => post(`/live/transfer?from=${$('#from').value}&to=${$('#to').value}`));
$('#threads').addEventListener('change', (event) => post(EXECUTOR, {threads: Number(event.target.value)}));

// What waits and which clients stand still, as the endpoint tells it

let queued = 0;
let states = new Map(); // of the clients that are paused or parked
let parkedShown = '';

async function refresh() {
  if (!connected) return;
  const executor = await fetch(EXECUTOR).then((answer) => answer.json()).catch(() => null);
  if (!executor?.stats) return; // the stream of moments tells when the server is gone
  const parked = executor.parkedTasks;
  queued = executor.stats.queued;
  if (document.activeElement !== $('#threads')) $('#threads').value = executor.settings.threads;
  states = new Map([
    ...executor.deepestKeys.filter((client) => client.paused).map((client) => [client.key, 'paused']),
    ...parked.map((task) => [task.key, 'parked']),
  ]);
  enable();
  const text = JSON.stringify(parked.map(({age, ...task}) => task));
  if (text === parkedShown) return; // so that a button keeps the focus
  parkedShown = text;
  $('#parked').replaceChildren(...parked.map(parkedItem));
}

function parkedItem(parked) {
  const item = $('#parked-item').content.cloneNode(true);
  item.querySelector('span').textContent = `${parked.key} is parked: ${parked.failure.message ?? 'a step failed'}`;
  item.querySelectorAll('button').forEach((button) => button.addEventListener('click', () =>
    post(`${EXECUTOR}/${encodeURIComponent(parked.key)}`, {action: button.value})));
  const why = item.querySelector('.why');
  explain(parked.key).then((text) => { why.textContent = text; });
  return item;
}

/** Why a client waits, in the endpoint's words. */
async function explain(client) {
  try {
    const answer = await fetch(`${EXECUTOR}/${encodeURIComponent(client)}`);
    if (!answer.ok) return `${client} has no steps.`;
    return (await answer.json()).explanation.text.replace(PACKAGES, '');
  } catch {
    return 'The application does not answer.';
  }
}

let questions = 0;

/** An explanation is out of date after a click or for another client, and so is one that is still on its way. */
function clearExplanation() {
  questions++;
  $('#explanation').value = '';
}

$('#client').addEventListener('change', () => {
  clearExplanation();
  enable();
});
$('#why').addEventListener('click', async () => {
  const question = ++questions;
  const text = await explain($('#client').value);
  if (question === questions) $('#explanation').value = text;
});

// The tabs

const tabs = $$('[role=tab]');
const sceneOf = (tab) => `#${tab.getAttribute('aria-controls')}`;

function select(tab) {
  for (const other of tabs) {
    other.setAttribute('aria-selected', other === tab);
    other.tabIndex = other === tab ? 0 : -1;
    $(sceneOf(other)).hidden = other !== tab;
  }
  history.replaceState(null, '', sceneOf(tab));
}

tabs.forEach((tab, i) => {
  tab.addEventListener('click', () => select(tab));
  tab.addEventListener('keydown', (event) => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!step) return;
    const next = tabs.at((i + step) % tabs.length);
    select(next);
    next.focus();
  });
});
const named = tabs.find((tab) => sceneOf(tab) === location.hash);
if (named) select(named);

// The code, from the sources that run

fetch('code/Scenes.java').then((answer) => answer.text()).then((source) => {
  const parts = source.split(/^ *\/\/ (?:scene: (\w+)|end of the scenes)\n/m); // each scene's name, then its code
  for (const pre of $$('[data-scene]')) {
    pre.textContent = parts[parts.indexOf(pre.dataset.scene) + 1].replace(/^ {4}/gm, '').trim();
  }
});

// All the time

const stream = new EventSource('/live/moments');
stream.onmessage = (event) => read(JSON.parse(event.data));
stream.onerror = disconnect;
stream.onopen = () => say('');

const still = matchMedia('(prefers-reduced-motion: reduce)');

function draw() {
  $$('canvas[data-lane]').forEach(drawLane);
  if (still.matches) setTimeout(draw, 500); else requestAnimationFrame(draw);
}

draw();

function eachSecond() {
  if (!connected) return;
  forget();
  measure();
  $$('canvas[data-chart]').forEach(drawChart);
  $$('canvas[data-lane]').forEach(describe);
  refresh();
}

setInterval(eachSecond, 1_000);
