"""The bytes that the benchmarks send: a 60 KB upload, a 24 KB evaluation, a 1 KB report."""

import io
import json
import pathlib
import wave
from random import Random

RECORDING = pathlib.Path(__file__).resolve().parent.parent / "Recordings" / "en_sentence.wav"
BOUNDARY = "----SpeechGateBenchmark0123456789abcdef"
UPLOAD_BYTES = 60 * 1024
EVALUATION_BYTES = 24 * 1024
REPORT_BYTES = 1024
# The stand-in platform counts these digits up, so that every evaluation is a fresh one.
RECORD_ID = "eval_000000000000"


def filled(document, holder, key, size):
    """`document` as JSON of exactly `size` bytes: the text `holder[key]` grows to fit."""
    holder[key] = ""
    missing = size - len(json.dumps(document, separators=(",", ":")))
    if missing < 0:
        raise ValueError(f"the document is {-missing} bytes longer than {size}")
    sentence = "Linking between words is natural; the vowel in the stressed syllable may be longer. "
    holder[key] = (sentence * (missing // len(sentence) + 1))[:missing]
    return json.dumps(document, separators=(",", ":")).encode()


def evaluation():
    """An answer to POST /api/v1/evaluate with the members of a real one: words, phonemes, sentences, report."""
    # A fixed seed: every run sends the same bytes. Scores and times differ from phoneme to phoneme as in real answers,
    # which Zstandard makes four to seven times smaller; an answer that repeats itself would flatter the store.
    random = Random(60)
    words, at = [], 0
    for word in "the early bird catches the worm and the second mouse gets the cheese".split():
        phonemes = []
        for letter in (word * 4)[:16]:
            length = random.randint(3, 24)
            score = random.randint(30, 100)
            span = {"start": at, "end": at + length}
            phonemes.append({"phoneme": letter, "stress_mark": random.randint(0, 1), "pronunciation": score, "span": span})
            at += length
        overall = random.randint(40, 100)
        words.append(
            {
                "word": word,
                "charType": 1,
                "readType": 0,
                "read_status": "correct",
                "scores": {"overall": overall, "pronunciation": overall, "stress": [{"ref_stress": 1, "spell": word}]},
                "span": {"start": phonemes[0]["span"]["start"], "end": at},
                "phonemes": phonemes,
                "phonics": [
                    {"overall": random.randint(40, 100), "phoneme": [letter], "spell": letter} for letter in word
                ],
                "pause": {"type": 0, "duration": random.randint(0, 40)},
            }
        )
    document = {
        "recordId": RECORD_ID,
        "eof": 1,
        "result": {
            "overall": 84.6, "pronunciation": 86, "fluency": 91, "integrity": 100, "rhythm": 78, "tone": 0,
            "rear_tone": "fall", "speed": 141, "duration": "2.018", "numeric_duration": 2.018, "warning": [],
            "words": words, "sentences": [], "_language": "en-US", "_coreType": "sentence",
        },
        "report": {"summary": "", "suggestions": [], "dimensionScores": {"accuracy": 86, "fluency": 91}},
        "standardAudio": {}, "asrText": {}, "warnings": [],
    }  # fmt: skip
    return filled(document, document["report"], "summary", EVALUATION_BYTES)


def report():
    """An answer to GET /api/v1/report/{recordId}, to which suggestions may still come: the gateway asks each time."""
    document = {
        "code": 0,
        "message": "success",
        "data": {
            "recordId": RECORD_ID,
            "score": {"overall": 84.6, "pronunciation": 86, "fluency": 91, "integrity": 100, "speed": 141},
            "report": {"summary": "", "dimensionScores": {"accuracy": 86}},
        },
        "timestamp": 1791484346331,
    }
    return filled(document, document["data"]["report"], "summary", REPORT_BYTES)


def form_around_audio():
    """What stands before and behind the audio's bytes in the content of POST /api/v1/evaluate."""
    config = {"coreType": "sentence", "language": "en-US", "referenceText": "The early bird catches the worm"}
    front = (
        f"--{BOUNDARY}\r\n"
        'Content-Disposition: form-data; name="config"\r\n'
        "Content-Type: application/json\r\n\r\n"
        f"{json.dumps(config)}\r\n"
        f"--{BOUNDARY}\r\n"
        'Content-Disposition: form-data; name="audio"; filename="audio.wav"\r\n'
        "Content-Type: audio/wav\r\n\r\n"
    )
    return front.encode(), f"\r\n--{BOUNDARY}--\r\n".encode()


def upload():
    """The content of POST /api/v1/evaluate: a config part and a WAV recording, 60 KB in all."""
    front, back = form_around_audio()
    samples_bytes = UPLOAD_BYTES - len(front) - len(back) - 44
    audio = io.BytesIO()
    with wave.open(str(RECORDING)) as source, wave.open(audio, "wb") as target:
        target.setparams(source.getparams())
        target.writeframes(source.readframes(samples_bytes // 2))
    content = front + audio.getvalue() + back
    if len(content) != UPLOAD_BYTES:
        raise ValueError(f"the upload is {len(content)} bytes, not {UPLOAD_BYTES}; is {RECORDING} too short?")
    return content


def head(line, api_key, key=None, content_length=None):
    """A request's head for wrk; the same for the gateway and its peers."""
    fields = [line, "Host: 127.0.0.1", f"Authorization: Bearer {api_key}", "Accept: application/json"]
    if content_length is not None:
        fields.append(f"Content-Type: multipart/form-data; boundary={BOUNDARY}")
        fields.append(f"Content-Length: {content_length}")
        fields.append(f"Idempotency-Key: {key}")
    return ("\r\n".join(fields) + "\r\n\r\n").encode()
