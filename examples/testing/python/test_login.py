"""Run by `pytest`, or by `python3 -m unittest`."""

import json
import os
import subprocess
import unittest
from concurrent.futures import ThreadPoolExecutor

from login import call, login_by_phone

AMAL = "1000001101"


class LoginTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.miftah = subprocess.Popen(
            ["npx", "--no", "--", "miftah", "dev", "--port", "0", "--json"],
            env={**os.environ, "RATE_LIMITS": "off", "LOG_LEVEL": "warn"},
            stdout=subprocess.PIPE,
        )
        line = cls.miftah.stdout.readline()
        if not line:
            raise RuntimeError("miftah dev has not started: is miftah installed in this folder?")
        address = json.loads(line)
        cls.base_url = address["baseUrl"]
        cls.simulator = address["url"] + "/simulator"
        cls.application = ThreadPoolExecutor()

    @classmethod
    def tearDownClass(cls):
        cls.miftah.terminate()
        cls.miftah.communicate()
        cls.application.shutdown()

    def login(self):
        """Starts the sign-in, which waits for the person. Gives its result, and its prompt."""
        self.numbers = []
        result = self.application.submit(login_by_phone, self.base_url, AMAL, self.numbers.append)
        waited = call(f"{self.simulator}/wait?until=prompt&national_id={AMAL}")
        return result, waited["prompt"]

    def decide(self, prompt, decision):
        call(f"{self.simulator}/prompts/{prompt['id']}/decision", {"decision": decision})

    def test_greets_whoever_approves(self):
        result, prompt = self.login()
        self.decide(prompt, "approve")
        self.assertEqual(result.result(), "Welcome, Amal Salem Nasser Alnamuthaji")
        self.assertEqual(self.numbers, [prompt["random"]])

    def test_lets_nobody_in_who_refuses(self):
        result, prompt = self.login()
        self.decide(prompt, "refuse")
        self.assertEqual(result.result(), "Not signed in: rejected")

    def test_gives_up_after_five_minutes_which_pass_at_once(self):
        result, _ = self.login()
        call(f"{self.simulator}/clock", {"advance": "5m"})
        self.assertEqual(result.result(), "Not signed in: expired")


if __name__ == "__main__":
    unittest.main()
