"""The bytes that the benchmarks send: a 60 KB upload, a 24 KB evaluation, a 1 KB report."""

import io
import json
import pathlib
import wave

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
    words = []
    for index, word in enumerate("the early bird catches the worm and the second mouse gets the cheese".split()):
        score = 70 + index * 7 % 30
        phonemes = [
            {"phoneme": letter, "stress_mark": 0, "pronunciation": score, "span": {"start": 10, "end": 24}}
            for letter in (word * 4)[:16]
        ]
        words.append(
            {
                "word": word,
                "charType": 1,
                "readType": 0,
                "read_status": "correct",
                "scores": {"overall": score, "pronunciation": score, "stress": [{"ref_stress": 1, "spell": word}]},
                "span": {"start": index * 14, "end": index * 14 + 14},
                "phonemes": phonemes,
                "phonics": [{"overall": score, "phoneme": [letter], "spell": letter} for letter in word],
                "pause": {"type": 0, "duration": 0},
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


def upload():
    """The content of POST /api/v1/evaluate: a config part and a WAV recording, 60 KB in all."""
    config = {"coreType": "sentence", "language": "en-US", "referenceText": "The early bird catches the worm"}
    front = (
        f"--{BOUNDARY}\r\n"
        'Content-Disposition: form-data; name="config"\r\n'
        "Content-Type: application/json\r\n\r\n"
        f"{json.dumps(config)}\r\n"
        f"--{BOUNDARY}\r\n"
        'Content-Disposition: form-data; name="audio"; filename="audio.wav"\r\n'
        "Content-Type: audio/wav\r\n\r\n"
    ).encode()
    back = f"\r\n--{BOUNDARY}--\r\n".encode()
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
