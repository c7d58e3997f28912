"""The training of the lesson on learning as a program: both ways, every seed, from the first step to the last."""

from attention_core.recall import D_MODEL, D_V, draw_examples
from attention_core.training import BATCH, EVERY, HELD_OUT, LEARNT, train
from attention_core.ways import scaled_and_not
from pages.ui.language import Language
from pages.ui.lessons.learning import Setting, run_of, say
from pages.ui.take import phrases
from pages.ui.take.program import Program

SIZES = f"D_MODEL, D_V, EVERY, BATCH, HELD_OUT = {D_MODEL}, {D_V}, {EVERY}, {BATCH}, {HELD_OUT}\n\n\n"
BODY = """reports = list(train(d_k, scaled_and_not(d_k), seeds, optimizer, rate, steps))
first, last = reports[0], reports[-1]
at = np.array([report.step for report in reports])
right = np.array([report.accuracy for report in reports])  # (reports, ways, seeds)
largest, accuracy, loss = first.largest, 100 * last.accuracy, last.loss
reached = np.where((right >= learnt).any(axis=0), at[(right >= learnt).argmax(axis=0)], np.inf)
made = np.isfinite(reached)
both = made.all(axis=0)
medians = np.median(reached[:, both], axis=1).tolist() if both.any() else []"""
TORCH = """torch.set_num_threads(1)  # the matrices are small


def answer(head, embedding, examples, scale, part=slice(None)):
    w_query, w_key, w_value, w_output = head
    symbols, classes, asked = (
        torch.tensor(each[0, part]) for each in (examples.symbols, examples.classes, examples.asked)
    )
    at = torch.arange(len(asked))
    query, key = embedding[symbols[at, asked]] @ w_query, embedding[symbols] @ w_key  # (examples, d_k), (.., n, d_k)
    weights = torch.softmax(scale * (key @ query[..., None])[..., 0], dim=-1)  # (examples, n)
    mixture = (weights[..., None] * torch.nn.functional.one_hot(classes, CLASSES)).sum(1)  # (examples, classes)
    return mixture @ w_value @ w_output, classes[at, asked], weights


def learn(seed, scale):
    random = np.random.default_rng(1000 + seed)  # NumPy's generator: PyTorch's would draw other numbers
    shapes = ((SYMBOLS, D_MODEL), (D_MODEL, d_k), (D_MODEL, d_k), (CLASSES, D_V), (D_V, CLASSES))
    embedding, *head = (torch.tensor(random.standard_normal(shape)) for shape in shapes)
    for each, width in zip(head, (D_MODEL, D_MODEL, 1, D_V)):
        each.div_(width**0.5).requires_grad_()
    optimiser = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam}[optimizer](head, lr=rate)
    held_out, seen = draw_examples(np.random.default_rng(777 + seed), HELD_OUT), []
    for step in range(steps + 1):
        if step % EVERY == 0 or step == steps:
            with torch.no_grad():
                logits, target, weights = answer(head, embedding, held_out, scale)
                loss = torch.nn.functional.cross_entropy(logits, target)
                right = (logits.argmax(-1) == target).double().mean()
            seen.append((step, float(right), float(loss), float(weights.amax(-1).mean())))
            batches = draw_examples(random, EVERY * BATCH)
        start = step % EVERY * BATCH
        logits, target, _ = answer(head, embedding, batches, scale, slice(start, start + BATCH))
        optimiser.zero_grad()
        torch.nn.functional.cross_entropy(logits, target).backward()
        optimiser.step()
    return torch.tensor(seen)


runs = torch.stack([torch.stack([learn(seed, scale) for seed in seeds]) for scale in (d_k**-0.5, 1.0)])
largest, accuracy, loss = runs[:, :, 0, 3], 100 * runs[:, :, -1, 1], runs[:, :, -1, 2]
reached = torch.where(runs[..., 1] >= learnt, runs[..., 0], torch.inf).amin(-1)  # (ways, seeds)
made = reached.isfinite()
both = made.all(0)
medians = reached[:, both].quantile(0.5, dim=1).tolist() if both.any() else []"""


def program(_: Language, setting: Setting) -> Program:
    """Return the program of the training that is set; its sentence is the page's before the first step or after all."""
    run = run_of(setting)
    reports = tuple(run.reports if run.finished else run.reports[:1])
    return Program(
        phrases.question(_, "learning"), (say(_, setting, reports),),
        {"d_k": setting.d_k, "optimizer": setting.optimizer, "rate": setting.rate, "steps": setting.steps,
         "seeds": list(setting.seeds), "learnt": LEARNT},
        (train, scaled_and_not), BODY, SIZES + TORCH,
        (
            (_("largest weight before the first step, mean over the seeds: divided, not divided"),
             "largest.mean(-1).tolist()"),
            (_("right answers in % after the last step, a row a way, a column a seed"), "accuracy"),
            (_("losses of the same"), "loss"), (_("the step at which each has learnt"), "reached"),
            (_("seeds that made it, of how many, and in %: divided, not divided"),
             "[*made.sum(-1).tolist(), len(seeds), *(100 * sum(way) / len(seeds) for way in made.tolist())]"),
            (_("seeds that made it without the division"),
             "[seed for seed, did in zip(seeds, made[1].tolist()) if did]"),
            (_("median steps of the seeds that made it both ways"), "medians"),
            (_("steps, and right answers in % that count as learnt"), "[steps, 100 * learnt]"),
        ), torch_uses=(draw_examples,),
    )
