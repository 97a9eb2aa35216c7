"""A model as a repository of the Hugging Face Hub; `unilid.load` reads one (`store/repository.py`)."""
