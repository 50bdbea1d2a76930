"""The protocol's side: bytes, requests, questions to the user. Knows of tools only the door."""
