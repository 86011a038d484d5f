"""Settings by definition, with one for all others."""

from ._library import ValidationError
from ._model import Model


class ConfigRegistry(Model):
    """`per_definition` has the settings of definitions by name, `default` those of all others; None: the others have
    none, and are passed over."""

    def get(self, def_name):
        """The settings of a definition, or None."""
        return self.per_definition.get(def_name, self.default)

    def register(self, def_name, config, *, override=False):
        """Adds the settings of one definition, and returns the registry. Raises ValueError when it has some and
        `override` is false."""
        return self.register_many({def_name: config}, override=override)

    def register_many(self, configs, *, override=False):
        """The same for many; all of them, or none. Raises ValueError."""
        taken = sorted(self.per_definition.keys() & configs.keys())
        if taken and not override:
            what = f"'{taken[0]}' already exists" if len(taken) == 1 else f"{', '.join(taken)} already exist"
            raise ValidationError(f"{what}; override=True replaces it")
        self.per_definition.update(configs)
        return self
