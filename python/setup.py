"""The wheel holds a library and a program of one platform, and works with every Python 3 there.

FIB_WHEEL_PLATFORM names the platform, as scripts/make-wheel does; without it this machine's is taken."""

import os

from setuptools import Distribution, setup

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:
    from wheel.bdist_wheel import bdist_wheel


class Binary(Distribution):
    def has_ext_modules(self):
        return True


class PlatformWheel(bdist_wheel):
    def get_tag(self):
        return ("py3", "none", os.environ.get("FIB_WHEEL_PLATFORM") or super().get_tag()[2])


setup(distclass=Binary, cmdclass={"bdist_wheel": PlatformWheel})
