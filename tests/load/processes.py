"""Two processes behind the proxy: what they carry against one, and what a class sees when one of them dies."""


class Tab:
    def __init__(self, address, lesson):
        self.errors = []

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        pass
