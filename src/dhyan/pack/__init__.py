"""What a trained model is on disk: a folder that describes itself. Training writes packs, all else reads them.

`pack.json` says what it is, `model.safetensors` holds the weights, `*.tokenizer.json` the vocabularies, `README.md`
is the model card. No pickles: nothing in a pack can run.
"""
