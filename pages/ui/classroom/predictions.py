"""The predictions of the core lessons, in teaching order."""

from pages.ui.classroom import masking_predictions, pipeline_predictions, qkv_predictions, scaling_predictions
from pages.ui.classroom.prediction import Prediction as Prediction
from pages.ui.classroom.prediction import read_answer as read_answer
from pages.ui.classroom.prediction import right as right

LESSONS = (pipeline_predictions, qkv_predictions, scaling_predictions, masking_predictions)
PREDICTIONS: dict[str, Prediction] = {each.id: each for lesson in LESSONS for each in lesson.PREDICTIONS}


def of_page(page: str) -> list[Prediction]:
    """Return the predictions of a page, in teaching order.

    >>> [prediction.id for prediction in of_page("verification")]
    []
    """
    return [prediction for prediction in PREDICTIONS.values() if prediction.page == page]
