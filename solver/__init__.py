"""Which distributions are legal, what do they cost, which is best?"""
