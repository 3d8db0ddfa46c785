"""What is asked of a text decides how an answer is judged: one label, several, or a number; one file for each."""

from dhyan.training.assessment.judges.judge import Judge
from dhyan.training.assessment.judges.number_judge import NumberJudge
from dhyan.training.assessment.judges.one_label_judge import OneLabelJudge
from dhyan.training.assessment.judges.several_labels_judge import SeveralLabelsJudge
from dhyan.training.prepare import Prepared

__all__ = ["Judge", "judge_for"]


def judge_for(prepared: Prepared) -> Judge:
    if prepared.number is not None:
        return NumberJudge(prepared.number)
    return (SeveralLabelsJudge if prepared.label_kind == "several" else OneLabelJudge)(prepared.labels)
