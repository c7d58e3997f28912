"""An experiment as a notebook: the question, what the page says, the formula, and the NumPy program in cells."""

from pages.ui.language import Language
from pages.ui.take.program import Program, numpy_parts


def as_notebook(_: Language, program: Program) -> str:
    """Write the notebook; the same experiment gives the same file.

    Examples
    --------
    >>> program = Program("Why?", ("It is **2**.",), {"n": 1}, (), "m = n + 1", "", (("m", "m"),))
    >>> made = as_notebook(Language("en"), program)
    >>> made.count('"cell_type": "code"'), '"id": "cell-1"' in made
    (4, True)
    """
    import nbformat  # takes 0.1 s, and few visitors ask for a notebook

    imports, definitions, inputs, body, prints = numpy_parts(program)
    cells = [
        (False, f"# {program.title}\n\n" + "\n\n".join([*program.says, f"$${program.formula}$$"])),
        (False, _("It needs NumPy and nothing of the lab. Run the cells from top to bottom; then change a number and "
                  "run them again.")),
        (True, "\n\n\n".join([imports, *definitions])),
        (False, _("The numbers of the page:")), (True, inputs), (True, body),
        (False, _("What the page shows, in NumPy's own figures:")), (True, prints),
    ]
    made = nbformat.v4.new_notebook(cells=[
        (nbformat.v4.new_code_cell if code else nbformat.v4.new_markdown_cell)(text, id=f"cell-{number}")
        for number, (code, text) in enumerate(cells, 1)
    ], metadata={
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    })
    nbformat.validate(made)
    return nbformat.writes(made)
