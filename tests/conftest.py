"""Fixtures every room's tests may use; what belongs to one room lives beside its tests."""
