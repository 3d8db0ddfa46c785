"""A pack's weights under the names of a model class of Transformers: which class has all of its parts, and how.

| shape | class | a pack with |
|---|---|---|
| encoder–decoder | Blenderbot | pre-norm, sinusoidal or learned positions |
| | M2M100 | pre-norm, M2M100's own sinusoids |
| | Marian | post-norm, Marian's own sinusoids |
| encoder | BERT | post-norm, a norm on the embeddings, learned or sinusoidal positions |
| | DistilBERT | the same, with a classifier that has a hidden layer with ReLU |
| | MegatronBERT | pre-norm, learned or sinusoidal positions |
| decoder | GPT-2 | pre-norm, learned or sinusoidal positions |
| | GPT-NeoX | pre-norm, rotary positions, layer norm |
| | Llama | pre-norm, rotary positions, RMS norm, SwiGLU |

Sinusoids go as a table of learned positions. Whatever a class lacks is folded into weights that it has.
"""

from dhyan.core.errors import DhyanError
from dhyan.interchange.transformers_encoders import encoder
from dhyan.interchange.transformers_tensors import TransformersModel
from dhyan.interchange.transformers_translators import encoder_decoder
from dhyan.interchange.transformers_writers import decoder
from dhyan.pack.pack import Pack


def transformers_model(pack: Pack) -> TransformersModel:
    a = pack.manifest.architecture
    if a.decoder_self == "ssru":
        raise DhyanError("Transformers has no model with an SSRU in its decoder: it cannot be exported to it.")
    if a.positions == "alibi":
        raise DhyanError("Transformers has no such model with ALiBi positions; export it to ONNX (--to onnx).")
    if a.shape == "encoder":
        return encoder(pack)
    if a.shape == "decoder":
        return decoder(a, pack.weights)
    return encoder_decoder(pack)
